def run():
    limit = 1_000_000
    prime = [True] * limit
    count = 0
    i = 2
    while i < limit:
        if prime[i]:
            count += 1
            j = i * 2
            while j < limit:
                prime[j] = False
                j += i
        i += 1
    return count
