from functools import reduce


def run():
    values = list(range(1000))
    total = 0
    for k in range(200):
        total += reduce(lambda a, b: a + b, filter(lambda x: x % 3 == 0, map(lambda x: x * 2 + k, values)), 0)
    return total
