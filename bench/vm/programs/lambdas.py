def map_with(f, values):
    out = []
    for x in values:
        out.append(f(x))
    return out


def select_with(f, values):
    out = []
    for x in values:
        if f(x):
            out.append(x)
    return out


def reduce_with(f, values, start):
    for x in values:
        start = f(start, x)
    return start


def run():
    values = list(range(1000))
    total = 0
    for k in range(200):
        doubled = map_with(lambda x: x * 2 + k, values)
        thirds = select_with(lambda x: x % 3 == 0, doubled)
        total += reduce_with(lambda a, b: a + b, thirds, 0)
    return total
