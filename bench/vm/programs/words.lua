local function split(text)
  local words = {}
  for word in text:gmatch("%S+") do words[#words + 1] = word end
  return words
end

local function text_of(count)
  local syllables = split("ka lo mi ne ru ta so vi pe du an er")
  local words = {}
  local seed = 1
  while #words < count do
    seed = seed * 171 % 30269
    local word = syllables[seed % 12 + 1] .. syllables[seed % 7 + 1]
    if seed % 3 == 0 then word = word .. syllables[seed % 11 + 1] end
    words[#words + 1] = word
  end
  return table.concat(words, " ")
end

local function count_words(text)
  local counts = {}
  for _, word in ipairs(split(text)) do counts[word] = (counts[word] or 0) + 1 end
  return counts
end

local function report(text)
  local counts = count_words(text)
  local words = {}
  for word in pairs(counts) do words[#words + 1] = word end
  table.sort(words, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  local top = {}
  for i = 1, 5 do top[i] = words[i] .. "=" .. counts[words[i]] end
  return table.concat(top, " ")
end

return function() return report((text_of(2000) .. " "):rep(40)) end
