return function()
  local count, rounds = 5000, 40
  local values = {}
  for i = 0, count - 1 do values[i + 1] = i % 17 * 0.5 end
  for _ = 1, rounds do
    for i = 2, count do values[i] = values[i] * 0.5 + values[i - 1] * 0.375 end
  end
  local sum = 0.0
  for i = 1, count do sum = sum + values[i] end
  return math.floor(sum * 1000000.0)
end
