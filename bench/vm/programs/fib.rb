module Program
  module_function

  def fib(n)
    n < 2 ? n : fib(n - 1) + fib(n - 2)
  end

  def run
    fib(27)
  end
end
