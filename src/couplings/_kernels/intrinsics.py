"""Single processor instructions, copies of rows and searches, for kernels."""
# Assigning to a row does the same as `copy_to`, but numba would also compile the text of its error,
# which takes more than a second in every process that compiles one.

from functools import reduce

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def popcount(typingctx, word):
    """Return the number of set bits of a 64-bit word."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def prefetch(typingctx, array, index):
    """Prefetch element `index` of a contiguous 1-D array: a hint without any effect on results."""

    def codegen(context, builder, signature, args):
        view = context.make_array(signature.args[0])(context, builder, args[0])
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        hint = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], hint)
        address = builder.bitcast(builder.gep(view.data, [args[1]]), byte)
        # for reading, into all cache levels, data
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


def _loop(builder, first, last, step, starts, following):
    """Emit a loop over first, first + step, ... below last; return the values carried at end."""
    # ``following(index, *carried)`` emits one round and returns the next values.
    entry = builder.block
    head, inside, end = (builder.append_basic_block(name) for name in ("head", "inside", "end"))
    builder.branch(head)
    builder.position_at_end(head)
    index, *carried = phis = [builder.phi(value.type) for value in (first, *starts)]
    builder.cbranch(builder.icmp_signed("<", index, last), inside, end)
    builder.position_at_end(inside)
    values = builder.add(index, step), *following(index, *carried)
    for phi, before, after in zip(phis, (first, *starts), values, strict=True):
        phi.add_incoming(before, entry)
        phi.add_incoming(after, inside)
    builder.branch(head)
    builder.position_at_end(end)
    return carried


def _place(builder, array, index, lanes):
    """Return the address of `lanes` numbers of an array, from `index` on."""
    vector = ir.VectorType(ir.DoubleType(), lanes)
    return builder.bitcast(builder.gep(array, [index]), vector.as_pointer())


def _row_sums(lanes):
    """Return an intrinsic that sums rows of a table, `lanes` columns at a time."""
    # The compiler would vectorise over the few columns and keep the sums in memory.

    @intrinsic
    def sums(typingctx, table, places, first, step, n, out, column):
        """Write the sums of `lanes` columns of some rows of a table to `out`."""
        # out[c] = table[places[first] + c] + table[places[first + step] + c] + ..., n terms in this
        # order; `table` is flat, float64, `places` uint32, all contiguous.

        def codegen(context, builder, signature, args):
            table, places, out = (
                context.make_array(signature.args[i])(context, builder, args[i]).data
                for i in (0, 1, 5)
            )
            first, step, n, column = args[2], args[3], args[4], args[6]
            integer = ir.IntType(64)

            def added(_, where, total):
                row = builder.zext(builder.load(builder.gep(places, [where])), integer)
                place = _place(builder, table, builder.add(row, column), lanes)
                part = builder.load(place, align=8)
                return builder.add(where, step), builder.fadd(total, part)

            # Adding -0.0, unlike 0.0, leaves every number unchanged.
            nothing = ir.Constant(ir.VectorType(ir.DoubleType(), lanes), [-0.0] * lanes)
            _, total = _loop(builder, integer(0), n, integer(1), (first, nothing), added)
            builder.store(total, _place(builder, out, column, lanes), align=8)
            return context.get_dummy_value()

        number = types.int64
        return types.void(table, places, number, number, number, out, number), codegen

    return sums


row_sums_4 = _row_sums(4)
row_sums_8 = _row_sums(8)
row_sums_16 = _row_sums(16)


LANES = 16


@intrinsic
def least_above(typingctx, values, n, bound):
    """Return the smallest of n values (a multiple of `LANES`) above the bound, or infinity."""
    # Written out because the compiler does not vectorise the minimum of floating-point numbers.

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        n, bound = args[1], args[2]
        integer, vector = ir.IntType(64), ir.VectorType(ir.DoubleType(), LANES)
        none = ir.Constant(vector, [float("inf")] * LANES)
        bounds = ir.Constant(vector, ir.Undefined)
        for lane in range(LANES):
            bounds = builder.insert_element(bounds, bound, ir.IntType(32)(lane))

        def smaller(t, least):
            found = builder.load(_place(builder, data, t, LANES), align=8)
            found = builder.select(builder.fcmp_ordered(">", found, bounds), found, none)
            return [builder.select(builder.fcmp_ordered("<", found, least), found, least)]

        (least,) = _loop(builder, integer(0), n, integer(LANES), [none], smaller)
        kind = ir.FunctionType(ir.DoubleType(), [vector])
        name = f"llvm.vector.reduce.fmin.v{LANES}f64"
        smallest = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(smallest, [least], fastmath=("nnan",))

    return types.float64(values, types.int64, types.float64), codegen


@intrinsic
def scaled_rows(typingctx, cells, rows, first, last, scale, x, own, mine, totals, sums):
    """Multiply a block of four rows of a matrix by a vector, and its transpose by another."""
    # For j from `first` to `last` (a multiple of 4 apart) and a[r, j] = cells[rows + r n + j], adds
    # ((a[r, j] * own[r]) * scale[j]) * x[j] to sums[r], four j at a time, and ((a[r, j] * scale[j])
    # * own[r]) * mine[r] of the four r to totals[j]. The compiler does not turn four rows into
    # columns.

    def codegen(context, builder, signature, args):
        arrays = {
            i: context.make_array(signature.args[i])(context, builder, args[i])
            for i in (0, 4, 5, 6, 7, 8, 9)
        }
        cells, scale, x, own, mine, totals, sums = (arrays[i].data for i in arrays)
        rows, first, last = args[1], args[2], args[3]
        size = builder.extract_value(arrays[4].shape, 0)
        integer = ir.IntType(64)
        nothing = ir.Constant(ir.VectorType(ir.DoubleType(), 4), ir.Undefined)

        def load(array, index):
            return builder.load(_place(builder, array, index, 4), align=8)

        def store(value, array, index):
            builder.store(value, _place(builder, array, index, 4), align=8)

        def all_of(array, r):
            value = builder.load(builder.gep(array, [integer(r)]))
            filled = builder.insert_element(nothing, value, ir.IntType(32)(0))
            return shuffled(filled, nothing, [0] * 4)

        def shuffled(one, other, places):
            mask = ir.Constant(ir.VectorType(ir.IntType(32), 4), places)
            return builder.shuffle_vector(one, other, mask)

        owns, mines = ([all_of(array, r) for r in range(4)] for array in (own, mine))
        starts = [builder.add(rows, builder.mul(integer(r), size)) for r in range(4)]

        def added(j, sums_of_rows):
            parts = [load(cells, builder.add(start, j)) for start in starts]
            scales, others = load(scale, j), load(x, j)
            columns = [
                builder.fmul(builder.fmul(builder.fmul(part, scales), one), two)
                for part, one, two in zip(parts, owns, mines, strict=True)
            ]
            store(builder.fadd(load(totals, j), reduce(builder.fadd, columns)), totals, j)
            terms = [
                builder.fmul(builder.fmul(builder.fmul(part, one), scales), others)
                for part, one in zip(parts, owns, strict=True)
            ]
            even, odd = (
                [shuffled(terms[r], terms[r + 1], [t, 4 + t, 2 + t, 6 + t]) for r in (0, 2)]
                for t in (0, 1)
            )
            turned = [
                shuffled(*pair, [2 * half, 2 * half + 1, 4 + 2 * half, 5 + 2 * half])
                for half in (0, 1)
                for pair in (even, odd)
            ]
            return [builder.fadd(sums_of_rows, reduce(builder.fadd, turned))]

        begun = load(sums, integer(0))
        (ended,) = _loop(builder, first, last, integer(4), [begun], added)
        store(ended, sums, integer(0))
        return context.get_dummy_value()

    number = types.int64
    arguments = (cells, number, number, number, scale, x, own, mine, totals, sums)
    return types.void(*arguments), codegen


@njit(cache=True)
def copy_to(values, out):
    """Write 1-D values to the beginning of `out`."""
    for i in range(len(values)):
        out[i] = values[i]


@njit(cache=True)
def copy_across(rows, out):
    """Write rows to the columns of `out`, from the first on."""
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            out[j, i] = rows[i, j]


@njit(cache=True)
def add_to(values, out):
    """Add 1-D values to the beginning of `out`."""
    for i in range(len(values)):
        out[i] += values[i]


@njit(cache=True)
def smallest_above(values, bound):
    """Return the smallest value above the bound, or infinity."""
    whole = len(values) - len(values) % LANES
    least = least_above(values, whole, bound)
    for t in range(whole, len(values)):
        if bound < values[t] < least:
            least = values[t]
    return least


@njit(cache=True)
def first_least(values):
    """Return the first index of the smallest value, and the value; -1 and infinity if empty."""
    least = smallest_above(values, -np.inf)
    if least < np.inf:
        for t in range(len(values)):
            if values[t] == least:
                return t, values[t]
    return -1, np.inf


@njit(cache=True)
def first_least_whole(values):
    """Return the first index of the smallest integer."""
    least = values[0]
    for t in range(len(values)):
        least = min(least, values[t])
    place = 0
    while values[place] != least:
        place += 1
    return place


@njit(inline="always")
def renew(q, value, u, v, least, partner):
    """Update what q stores after the later u has absorbed v, given the cost of q and u."""
    # q stores its best later partner and their cost, or -1 (unknown) and a lower bound.
    if value < least[q]:
        least[q], partner[q] = value, u
    elif partner[q] == u or partner[q] == v:
        # columns between the removed row and the kept one can be equally good
        partner[q] = u if value == least[q] and partner[q] >= u else -1
    elif value == least[q] and partner[q] > u:
        partner[q] = u


@njit(inline="always")
def renew_both(q, value, u, v, least, partner):
    """Update the stored state of the earlier item after u absorbed v, given the cost of q and u."""
    if q < u:
        renew(q, value, u, v, least, partner)
        return
    if value < least[u]:
        least[u], partner[u] = value, q
    if partner[q] == v:
        partner[q] = -1
