"""The measures and Ward from their definitions: plain loops over rows and values, no counts."""

import math


def frequency(column, value):
    return sum(1 for cell in column if cell == value)


def share(column, value, given_column, given):
    """P(value given `given`), 0 if `given` never occurs."""
    chosen = [cell for cell, other in zip(column, given_column, strict=True) if other == given]
    return chosen.count(value) / len(chosen) if chosen else 0.0


def entropy(column):
    n = len(column)
    counts = [frequency(column, value) for value in set(column)]
    return -sum(c / n * math.log(c / n) for c in counts)


def uncertainty(column, other):
    h, h_other = entropy(column), entropy(other)
    if h == 0 or h_other == 0:
        return 0.0
    gain = h + h_other - entropy(list(zip(column, other, strict=True)))
    value = 2 * gain / (h + h_other)
    return 0.0 if abs(value) < 1e-12 else min(max(value, 0.0), 1.0)


def weka_uncertainty(column, other, n_values, n_other):
    """The sums of a ln a over raw counts, in Weka's order."""
    table = [
        [
            sum(1 for p, q in zip(column, other, strict=True) if (p, q) == (x, y))
            for y in range(n_other)
        ]
        for x in range(n_values)
    ]

    def g(counts):
        total = 0.0
        for a in counts:
            total += a * math.log(a) if a else 0.0
        return total

    total = g([len(column)])
    h = g([sum(row) for row in table]) - total
    h_other = g([sum(row) for row in zip(*table, strict=True)]) - total
    if abs(h) < 1e-6 or abs(h_other) < 1e-6:
        return 0.0
    joint = g([a for row in table for a in row])
    return 2 * ((h - (joint - (h_other + total))) / (h + h_other))


def context_m(su, target, sigma):
    others = [k for k in range(len(su)) if k != target]
    mean = sum(su[target][k] for k in others) / len(others)
    return {k for k in others if su[target][k] >= sigma * mean}


def context_rr(su, target, strict):
    order = sorted((k for k in range(len(su)) if k != target), key=lambda k: -su[target][k])
    kept = []
    while order:
        x, *rest = order
        kept.append(x)
        order = [
            k
            for k in rest
            if not (su[x][k] > su[target][k] or (not strict and su[x][k] == su[target][k]))
        ]
    return set(kept)


def dilca(columns, n_values, target, context, y, z):
    total, size = 0.0, 0
    for k in sorted(context):
        size += n_values[k]
        for x in range(n_values[k]):
            p = share(columns[target], y, columns[k], x)
            q = share(columns[target], z, columns[k], x)
            total += (p - q) ** 2
    return math.sqrt(total / size)


def ahmad_dey(columns, n_values, target, y, z):
    """By the subset that tells the two values apart best."""
    total = 0.0
    for k in range(len(columns)):
        if k != target:
            best = 0.0
            for subset in range(2 ** n_values[k]):
                inside = [x for x in range(n_values[k]) if subset >> x & 1]
                outside = [x for x in range(n_values[k]) if not subset >> x & 1]
                best = max(
                    best,
                    sum(share(columns[k], x, columns[target], y) for x in inside)
                    + sum(share(columns[k], x, columns[target], z) for x in outside)
                    - 1,
                )
            total += best
    return total / (len(columns) - 1)


def pearson(columns, n_values, target, y, z):
    def vector(value):
        return [
            sum(
                1 for a, b in zip(columns[target], columns[k], strict=True) if a == value and b == x
            )
            for k in range(len(columns))
            if k != target
            for x in range(n_values[k])
        ]

    a, b = vector(y), vector(z)
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    product = sum((p - mean_a) * (q - mean_b) for p, q in zip(a, b, strict=True))
    squares = sum((p - mean_a) ** 2 for p in a) * sum((q - mean_b) ** 2 for q in b)
    if squares == 0:
        return 1.0
    return max(0.0, 1 - product / math.sqrt(squares))


def occurrence_frequency(column, x, y, base):
    n = len(column)
    if x == y:
        return 1.0
    rarity = [math.log(n / frequency(column, value), base) for value in (x, y)]
    return 1 / (1 + rarity[0] * rarity[1])


def goodall3(column, x, y):
    n, f = len(column), frequency(column, x)
    return 1 - f * (f - 1) / (n * (n - 1)) if x == y else 0.0


def lin_dissimilarity(columns, u, v):
    numerator = denominator = 0.0
    for column in columns:
        n = len(column)
        p, q = frequency(column, column[u]) / n, frequency(column, column[v]) / n
        numerator += 2 * math.log(p if column[u] == column[v] else min(1.0, p + q))
        denominator += math.log(p) + math.log(q)
    similarity = numerator / denominator if denominator else 1.0
    return 1 / (1 + similarity)


def ward_r(square, n_clusters):
    """R's order of merges, word for word: first nearest later neighbours, strict comparisons."""
    n = len(square)
    d = [list(row) for row in square]
    size = [1] * n
    active = [True] * n
    nn, dn = [None] * n, [math.inf] * n

    def rescan(i):
        nn[i], dn[i] = None, math.inf
        for j in range(i + 1, n):
            if active[j] and d[i][j] < dn[i]:
                nn[i], dn[i] = j, d[i][j]

    for i in range(n - 1):
        rescan(i)
    group = list(range(n))
    for _ in range(n - n_clusters):
        im = min((i for i in range(n) if active[i]), key=lambda i: dn[i])
        i2, j2 = min(im, nn[im]), max(im, nn[im])
        active[j2] = False
        group = [i2 if g == j2 else g for g in group]
        least = d[i2][j2]
        nn[i2], dn[i2] = None, math.inf
        for q in range(n):
            if not active[q] or q == i2:
                continue
            new = (
                (size[i2] + size[q]) * d[i2][q] + (size[j2] + size[q]) * d[j2][q] - size[q] * least
            ) / (size[i2] + size[j2] + size[q])
            d[i2][q] = d[q][i2] = new
            if q > i2:
                if new < dn[i2]:
                    nn[i2], dn[i2] = q, new
            elif new < dn[q]:
                nn[q], dn[q] = i2, new
        size[i2] += size[j2]
        for i in range(n):
            if active[i] and nn[i] in (i2, j2):
                rescan(i)
    seen = {}
    return [seen.setdefault(g, len(seen)) for g in group]
