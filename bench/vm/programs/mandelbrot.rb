module Program
  module_function

  def mandelbrot(width, height, limit)
    total = 0
    height.times do |row|
      width.times do |column|
        x0 = column.fdiv(width) * 3.5 - 2.5
        y0 = row.fdiv(height) * 2.0 - 1.0
        x = 0.0
        y = 0.0
        i = 0
        while i < limit && x * x + y * y <= 4.0
          t = x * x - y * y + x0
          y = 2.0 * x * y + y0
          x = t
          i += 1
        end
        total += i
      end
    end
    total
  end

  def run
    mandelbrot(120, 80, 200)
  end
end
