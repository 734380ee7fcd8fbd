"""Single instructions of the processor, for kernels."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def popcount(typingctx, word):
    """Return the number of set bits of a 64-bit word."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def prefetch(typingctx, array, index):
    """Ask the cache for element `index` of a contiguous 1-D array that will be read soon.

    A hint without any effect on results. Where a kernel jumps from page to page, the processor
    does not guess the next address, and asking ahead overlaps the waits.
    """

    def codegen(context, builder, signature, args):
        view = context.make_array(signature.args[0])(context, builder, args[0])
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        hint = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], hint)
        address = builder.bitcast(builder.gep(view.data, [args[1]]), byte)
        # to be read, to be kept in all levels, data
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen
