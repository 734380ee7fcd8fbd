"""Distances learnt with the clusters, in plain loops over rows and values; labels from 0.

Sums run in the order of the attributes, of the codes and of the clusters, because exact ties of
distances depend on the last bit.
"""

import math


def shares(rows, labels, c, j, n_values):
    members = [row for row, label in zip(rows, labels, strict=True) if label == c]
    return [sum(row[j] == x for row in members) / len(members) for x in range(n_values[j])]


def mode(rows, labels, c, old):
    members = [row for row, label in zip(rows, labels, strict=True) if label == c]
    if not members:
        return old
    columns = [[row[j] for row in members] for j in range(len(members[0]))]
    return tuple(min(set(column), key=lambda x: (-column.count(x), x)) for column in columns)


def nearest(distances):
    return distances.index(min(distances))


def assigned(rows, k, distance):
    """Distances of the rows to the clusters, and the nearest cluster of each."""
    table = [[distance(row, c) for c in range(k)] for row in rows]
    return table, [nearest(distances) for distances in table]


def share(rows, labels, j, value, c):
    having = [label for row, label in zip(rows, labels, strict=True) if row[j] == value]
    return having.count(c) / len(having)


def kmodes_batch(rows, start):
    modes, labels = [rows[u] for u in start], None
    for _ in range(51):
        before = labels
        labels = [
            nearest([sum(a != b for a, b in zip(r, o, strict=True)) for o in modes]) for r in rows
        ]
        modes = [mode(rows, labels, c, modes[c]) for c in range(len(start))]
        if labels == before:
            break
    return labels, modes


def kmodes_online(rows, start, passes=51):
    modes, labels = [rows[u] for u in start], [None] * len(rows)
    for _ in range(passes):
        before = list(labels)
        for u, row in enumerate(rows):
            c = nearest([sum(a != b for a, b in zip(row, o, strict=True)) for o in modes])
            labels[u] = c
            modes[c] = mode(rows, labels, c, modes[c])
        if labels == before:
            break
    return labels, modes


def same_partition(a, b):
    pairs = set(zip(a, b, strict=True))
    return len(pairs) == len(set(a)) == len(set(b))


def equal_sum(a, b):
    return sum(a) == sum(b)


def disc(rows, n_values, start, reading):
    """Labels, outer rounds, sum of distances."""
    k, attributes = len(start), range(len(n_values))
    labels, centres = kmodes_batch(rows, start)
    p = [
        [[float(x == centres[c][j]) for x in range(n_values[j])] for j in attributes]
        for c in range(k)
    ]

    def distance(row, c):
        total = 0.0
        for j in attributes:
            d = abs(p[c][j][row[j]] - p[c][j][centres[c][j]])
            total += d if reading == "literal" else d * d
        return total if reading == "literal" else math.sqrt(total)

    rounds = 0
    while rounds < 51:
        rounds += 1
        for c in range(k):
            if c in labels:
                p[c] = [shares(rows, labels, c, j, n_values) for j in attributes]
                if reading != "literal":
                    for j in attributes:
                        total = 0.0
                        for value in p[c][j]:
                            total += value
                        p[c][j] = [value / (total + 1e-10) for value in p[c][j]]
            elif reading == "released":
                p[c] = [[0.0] * v for v in n_values]
        inner = None
        for _ in range(101):
            before = inner
            table, inner = assigned(rows, k, distance)
            for c in range(k):
                if c not in inner:
                    continue
                if reading == "literal":
                    centres[c] = mode(rows, inner, c, centres[c])
                    continue
                size = inner.count(c)
                centre = []
                for j in attributes:
                    costs = []
                    for x in range(n_values[j]):
                        cost = 0.0
                        for b in range(n_values[j]):
                            f = sum(
                                r[j] == b and label == c
                                for r, label in zip(rows, inner, strict=True)
                            )
                            cost += abs(p[c][j][x] - p[c][j][b]) * ((100.0 * f / size) / 100.0)
                        costs.append(cost)
                    centre.append(nearest(costs))
                centres[c] = tuple(centre)
            if inner == before:
                break
        before, labels = labels, inner
        if before == labels if reading == "literal" else same_partition(before, labels):
            break
    return labels, rounds, sum(min(distances) for distances in table)


def tree(edge):
    """Path lengths in Prim's tree, and its weight."""
    v = len(edge)
    path = [[0.0] * v for _ in range(v)]
    if v == 1:
        return path, 0.0
    inside = [min((edge[x][y], x) for x in range(v) for y in range(v) if x != y)[1]]
    weight = 0.0
    while len(inside) < v:
        outside = [y for y in range(v) if y not in inside]
        length, new = min((min(edge[z][y] for z in inside), y) for y in outside)
        parent = next(z for z in inside if edge[z][new] == length)
        weight += length
        for z in inside:
            path[new][z] = path[z][new] = path[z][parent] + length
        inside.append(new)
    return path, weight


def coforest_edges(rows, labels, k, j, v):
    edge = [[0.0] * v for _ in range(v)]
    for x in range(v):
        for y in range(v):
            total = 0.0
            for c in range(k):
                total += (share(rows, labels, j, x, c) - share(rows, labels, j, y, c)) ** 2
            edge[x][y] = (1.0 / k) * math.sqrt(total) or 1e-8
    return edge


def coforest(rows, n_values, start, reading):
    k, attributes = len(start), range(len(n_values))
    labels, modes = kmodes_batch(rows, start)
    p = [
        [[float(x == modes[c][j]) for x in range(n_values[j])] for j in attributes]
        for c in range(k)
    ]

    def renew(partition):
        for c in set(partition):
            p[c] = [shares(rows, partition, c, j, n_values) for j in attributes]

    renew(labels)

    def distance(row, c):
        total = 0.0
        for j in attributes:
            part = 0.0
            for b in range(n_values[j]):
                part += trees[j][row[j]][b] * p[c][j][b]
            total += part * (1.0 / (len(n_values) * (n_values[j] - 1)))
        return total

    rounds = 0
    while rounds < 51:
        rounds += 1
        trees = [tree(coforest_edges(rows, labels, k, j, n_values[j]))[0] for j in attributes]
        inner = None
        for _ in range(51):
            before = inner
            table, inner = assigned(rows, k, distance)
            renew(inner)
            if inner == before:
                break
        before, labels = labels, inner
        if equal_sum(before, labels) if reading == "released" else before == labels:
            break
    return labels, rounds, sum(min(distances) for distances in table)


def hdndw(rows, n_values, start, hd, reading):
    """`hd(j, x, y)` gives the homogeneous distances."""
    k, attributes = len(start), range(len(n_values))
    same = equal_sum if reading == "released" else (lambda a, b: a == b)
    pairs = [(j, x, y) for j in attributes for x in range(n_values[j]) for y in range(x)]
    weight = dict.fromkeys(pairs, 1 / len(pairs)) if pairs else {}
    p = [[[float(x == rows[u][j]) for x in range(n_values[j])] for j in attributes] for u in start]
    labels = None

    def distance(row, c):
        if p[c] is None:
            return math.inf
        square = 0.0
        for j in attributes:
            part = 0.0
            for b in range(n_values[j]):
                if b != row[j]:
                    pair = (j, max(row[j], b), min(row[j], b))
                    part += hd(*pair) * weight[pair] * p[c][j][b]
            square += part * part
        return math.sqrt(square)

    rounds = 0
    while rounds < 51:
        rounds += 1
        if labels is not None:
            raw = {}
            for j, x, y in pairs:
                together = 0.0
                for c in range(k):
                    together += share(rows, labels, j, x, c) * share(rows, labels, j, y, c)
                raw[j, x, y] = hd(j, x, y) * (1.0 - together)
            total = math.fsum(raw.values())
            weight = {pair: w / total for pair, w in raw.items()} if total > 0 else raw
        inner = None
        for _ in range(51):
            before = inner
            table, inner = assigned(rows, k, distance)
            p = [
                [shares(rows, inner, c, j, n_values) for j in attributes] if c in inner else None
                for c in range(k)
            ]
            if before is not None and same(before, inner):
                break
        before, labels = labels, inner
        if before is not None and same(before, labels):
            break
    return labels, rounds, sum(min(distances) for distances in table)
