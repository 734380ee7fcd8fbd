"""Packed neighbour graphs and their links.

A graph of n objects is an array of uint64 words of shape (n, ceil(n / 64)): bit b of word w in
row u says whether u and object 64 w + b are neighbours.
"""

import numpy as np
from numba import njit, prange

from couplings._kernels.copying import copy_to
from couplings._kernels.intrinsics import popcount

# Rows whose words stay in cache while every other row passes by.
BLOCK = 16


@njit(cache=True, parallel=True)
def pack_agreeing(codes, least):
    """Return the graph that joins the rows of `codes` that agree in at least `least` attributes.

    codes : integers (n, m), Fortran-ordered, of a type that holds m as well: the smaller it is,
    the more are compared at a time. Returns uint64 (n, ceil(n / 64)), no object being its own
    neighbour.
    """
    n, m = codes.shape
    n_words = (n + 63) // 64
    words = np.zeros((n, n_words), dtype=np.uint64)
    for block in prange((n + BLOCK - 1) // BLOCK):
        agreeing = np.empty(n, dtype=codes.dtype)
        for u in range(block * BLOCK, min(n, (block + 1) * BLOCK)):
            agreeing[:] = 0
            for j in range(m):
                column = codes[:, j]
                code = column[u]
                for v in range(n):
                    agreeing[v] += column[v] == code
            for w in range(n_words):
                word = np.uint64(0)
                for bit in range(min(64, n - 64 * w)):
                    word |= np.uint64(agreeing[64 * w + bit] >= least) << np.uint64(bit)
                words[u, w] = word
            words[u, u // 64] &= ~(np.uint64(1) << np.uint64(u % 64))
    return words


@njit(cache=True)
def count_bits(words):
    """Return the number of set bits of each row, int64 (n,)."""
    counts = np.zeros(words.shape[0], dtype=np.int64)
    for u in range(words.shape[0]):
        total = np.uint64(0)
        for w in range(words.shape[1]):
            total += popcount(words[u, w])
        counts[u] = total
    return counts


@njit(cache=True)
def _lowest_bit(word):
    """Return the position of the lowest set bit of a word that is not 0."""
    return np.int64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))


@njit(cache=True)
def link_components(words):
    """Return the component of each object in the graph of positive links, int64 (n,).

    Components are numbered by their first object. Two objects are linked if they share a
    neighbour, so the search steps to the neighbours of an object and from there to theirs; each
    row of `words` is read once for either step.
    """
    n, n_words = words.shape
    component = np.full(n, -1, dtype=np.int64)
    reached = np.zeros(n_words, dtype=np.uint64)
    stepped = np.zeros(n_words, dtype=np.uint64)
    stack = np.empty(n, dtype=np.int64)
    n_components = 0
    for start in range(n):
        if component[start] >= 0:
            continue
        component[start] = n_components
        reached[start // 64] |= np.uint64(1) << np.uint64(start % 64)
        stack[0] = start
        depth = 1
        while depth:
            depth -= 1
            u = stack[depth]
            for w in range(n_words):
                fresh = words[u, w] & ~stepped[w]
                stepped[w] |= fresh
                while fresh:
                    middle = 64 * w + _lowest_bit(fresh)
                    fresh &= fresh - np.uint64(1)
                    for x in range(n_words):
                        linked = words[middle, x] & ~reached[x]
                        reached[x] |= linked
                        while linked:
                            v = 64 * x + _lowest_bit(linked)
                            linked &= linked - np.uint64(1)
                            component[v] = n_components
                            stack[depth] = v
                            depth += 1
        n_components += 1
    return component


@njit(cache=True)
def gather_rows(words, members):
    """Return the rows of `members` without the columns that are empty in all of them.

    members : int64 (c,); returns uint64 (c, ceil(r / 64)) for r columns that are left, in order.
    """
    n_words = words.shape[1]
    used = np.zeros(n_words, dtype=np.uint64)
    for u in members:
        for w in range(n_words):
            used[w] |= words[u, w]
    before = np.zeros(n_words + 1, dtype=np.int64)
    for w in range(n_words):
        before[w + 1] = before[w] + np.int64(popcount(used[w]))
    gathered = np.zeros((members.size, (before[n_words] + 63) // 64), dtype=np.uint64)
    for i in range(members.size):
        for w in range(n_words):
            rest = words[members[i], w]
            while rest:
                lowest = rest & (~rest + np.uint64(1))
                rest &= rest - np.uint64(1)
                position = before[w] + np.int64(popcount(used[w] & (lowest - np.uint64(1))))
                gathered[i, position // 64] |= np.uint64(1) << np.uint64(position % 64)
    return gathered


@njit(cache=True, parallel=True)
def count_links(words, links):
    """Write the common set bits of every pair of rows to `links`, (c, c), symmetric.

    A word of one row meets those of four others at a time, so that fewer are read than counted.
    """
    c, n_words = words.shape
    n_blocks = (c + BLOCK - 1) // BLOCK
    # Whole blocks of rows, and whole groups of eight words.
    padded = np.zeros((n_blocks * BLOCK, (n_words + 7) // 8 * 8), dtype=np.uint64)
    for u in range(c):
        copy_to(words[u], padded[u])
    width = padded.shape[1]
    for block in prange(n_blocks):
        first, last = block * BLOCK, min(c, (block + 1) * BLOCK)
        for u in range(last):
            row = padded[u]
            for v in range(first, last, 4):
                p, q, r, s = padded[v], padded[v + 1], padded[v + 2], padded[v + 3]
                to_p, to_q, to_r, to_s = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
                for w in range(width):
                    word = row[w]
                    to_p += popcount(word & p[w])
                    to_q += popcount(word & q[w])
                    to_r += popcount(word & r[w])
                    to_s += popcount(word & s[w])
                links[u, v], links[v, u] = to_p, to_p
                if v + 1 < last:
                    links[u, v + 1], links[v + 1, u] = to_q, to_q
                if v + 2 < last:
                    links[u, v + 2], links[v + 2, u] = to_r, to_r
                if v + 3 < last:
                    links[u, v + 3], links[v + 3, u] = to_s, to_s


@njit(cache=True)
def reorder_words(words, order):
    """Return the graph of the objects in another order: object a of it is ``order[a]``."""
    n, n_words = words.shape
    reordered = np.zeros((n, n_words), dtype=np.uint64)
    for a in range(n):
        row = words[order[a]]
        for w in range(n_words):
            word = np.uint64(0)
            for bit in range(min(64, n - 64 * w)):
                b = order[64 * w + bit]
                word |= ((row[b // 64] >> np.uint64(b % 64)) & np.uint64(1)) << np.uint64(bit)
            reordered[a, w] = word
    return reordered


@njit(cache=True)
def reorder_links(links, order, reordered):
    """Write the links of the objects in another order to `reordered`, both (c, c)."""
    for a in range(len(order)):
        row, other = links[order[a]], reordered[a]
        for b in range(len(order)):
            other[b] = row[order[b]]
