def mandelbrot(width, height, limit):
    total = 0
    for row in range(height):
        for column in range(width):
            x0 = column / width * 3.5 - 2.5
            y0 = row / height * 2.0 - 1.0
            x = 0.0
            y = 0.0
            i = 0
            while i < limit and x * x + y * y <= 4.0:
                t = x * x - y * y + x0
                y = 2.0 * x * y + y0
                x = t
                i += 1
            total += i
    return total


def run():
    return mandelbrot(120, 80, 200)
