return function()
  local limit = 1000000
  local prime = {}
  for i = 1, limit do prime[i] = true end
  local count = 0
  for i = 2, limit - 1 do
    if prime[i] then
      count = count + 1
      for j = i * 2, limit - 1, i do prime[j] = false end
    end
  end
  return count
end
