local function mandelbrot(width, height, limit)
  local total = 0
  for row = 0, height - 1 do
    for column = 0, width - 1 do
      local x0 = column / width * 3.5 - 2.5
      local y0 = row / height * 2.0 - 1.0
      local x, y, i = 0.0, 0.0, 0
      while i < limit and x * x + y * y <= 4.0 do
        local t = x * x - y * y + x0
        y = 2.0 * x * y + y0
        x = t
        i = i + 1
      end
      total = total + i
    end
  end
  return total
end

return function() return mandelbrot(120, 80, 200) end
