def smooth(count, rounds):
    values = [i % 17 * 0.5 for i in range(count)]
    for _ in range(rounds):
        for i in range(1, count):
            values[i] = values[i] * 0.5 + values[i - 1] * 0.375
    total = 0.0
    for value in values:
        total += value
    return total


def run():
    return int(smooth(5000, 40) * 1000000.0)
