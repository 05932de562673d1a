def text_of(count):
    syllables = "ka lo mi ne ru ta so vi pe du an er".split(" ")
    words = []
    seed = 1
    while len(words) < count:
        seed = seed * 171 % 30269
        word = syllables[seed % 12] + syllables[seed % 7]
        if seed % 3 == 0:
            word += syllables[seed % 11]
        words.append(word)
    return " ".join(words)


def count_words(text):
    counts = {}
    for word in text.split(" "):
        counts[word] = (counts.get(word) or 0) + 1
    return counts


def report(text):
    top = sorted(count_words(text).items(), key=lambda pair: (-pair[1], pair[0]))[:5]
    return " ".join(f"{word}={count}" for word, count in top)


def run():
    return report((text_of(2_000) + " ") * 40)
