module Program
  module_function

  def run
    limit = 1_000_000
    prime = [true] * limit
    count = 0
    i = 2
    while i < limit
      if prime[i]
        count += 1
        j = i * 2
        while j < limit
          prime[j] = false
          j += i
        end
      end
      i += 1
    end
    count
  end
end
