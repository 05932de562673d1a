require "json"

module Program
  module_function

  def show_user(id, name)
    tags = []
    3.times { |i| tags << "#{name}-#{i}" }
    user = {id: id, name: name, greeting: "Hello, #{name}!", tags: tags, ok: true}
    user[:ok] = false if user[:id] % 2 == 0
    JSON.generate(user)
  end

  def run
    bytes = 0
    20_000.times { |id| bytes += show_user(id, "alice").length }
    bytes
  end
end
