# Runs snippets: a JSON array of texts on stdin. Writes a JSON array of {output, error} to stdout.
require "json"
require "stringio"
require "timeout"

# The form of Svc's `inspect` for what differs by design: symbols are strings, keys stand before a colon.
def shown(value)
  case value
  when Symbol then value.to_s.inspect
  when Array then "[#{value.map { |one| shown(one) }.join(", ")}]"
  when Hash then "{#{value.map { |key, one| "#{shown_key(key)}: #{shown(one)}" }.join(", ")}}"
  when Exception then value.message.inspect
  else value.inspect
  end
end

def shown_key(key)
  text = key.is_a?(Symbol) ? key.to_s : key
  text.is_a?(String) && text.match?(/\A[A-Za-z_]\w*\z/) ? text : shown(text)
end

def show(*values) = values.each { |value| puts shown(value) }

def result(text)
  $stdout = StringIO.new
  error = nil
  begin
    Timeout.timeout(5) { Object.new.instance_eval(text) }
  rescue Exception => e # rubocop:disable Lint/RescueException
    error = e.class.name
  end
  { output: $stdout.string, error: error }
ensure
  $stdout = STDOUT
end

results = JSON.parse($stdin.read).map { |text| result(text) }
puts JSON.generate(results)
