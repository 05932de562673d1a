local function map_with(f, values)
  local out = {}
  for i, x in ipairs(values) do out[i] = f(x) end
  return out
end

local function select_with(f, values)
  local out = {}
  for _, x in ipairs(values) do
    if f(x) then out[#out + 1] = x end
  end
  return out
end

local function reduce_with(f, values, start)
  for _, x in ipairs(values) do start = f(start, x) end
  return start
end

return function()
  local values = {}
  for i = 1, 1000 do values[i] = i - 1 end
  local total = 0
  for k = 0, 199 do
    local doubled = map_with(function(x) return x * 2 + k end, values)
    local thirds = select_with(function(x) return x % 3 == 0 end, doubled)
    total = total + reduce_with(function(a, b) return a + b end, thirds, 0)
  end
  return total
end
