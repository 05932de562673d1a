# Analyses the access log of a web server: requests by status, area, hour and user, slow paths, and lines that do not fit.
require "set"

LINE = /^(\S+) - (\S+) \[([^:]+):(\d\d):(\d\d):(\d\d) [^\]]+\] "(\S+) (\S+) [^"]+" (\d{3}) (\d+) (\d+)$/

Entry = Struct.new(:address, :user, :hour, :method, :path, :status, :bytes, :ms)

class Area
  attr_reader :name, :requests, :bytes, :errors

  def initialize(name)
    @name = name
    @requests = @bytes = @errors = 0
    @times = []
  end

  def add(entry)
    @requests += 1
    @bytes += entry.bytes
    @errors += 1 if entry.status >= 500
    @times << entry.ms
  end

  def percentile(part)
    @times.sort[(@times.length - 1) * part / 100]
  end
end

class Analysis
  attr_reader :lines, :unreadable, :statuses, :hours, :users, :areas, :addresses, :slowest

  def initialize
    @lines = 0
    @unreadable = []
    @statuses = Hash.new(0)
    @hours = Hash.new(0)
    @users = Hash.new(0)
    @areas = {}
    @addresses = Set.new
    @slowest = []
  end

  def read(line)
    @lines += 1
    entry = parse(line)
    if entry.nil?
      @unreadable << @lines
      return
    end
    @statuses[entry.status] += 1
    @hours[entry.hour] += 1
    @users[entry.user] += entry.bytes unless entry.user == "-"
    @addresses.add(entry.address)
    name = area_of(entry.path)
    @areas[name] ||= Area.new(name)
    @areas[name].add(entry)
    note_slow(entry) if entry.ms > 2900
  end

  def note_slow(entry)
    @slowest << entry
    return if @slowest.length < 50

    @slowest = @slowest.sort_by { |slow| [-slow.ms, slow.path] }.first(5)
  end
end

def parse(line)
  m = line.match(LINE)
  return nil if m.nil?

  Entry.new(m[1], m[2], m[4].to_i, m[7], m[8], m[9].to_i, m[10].to_i, m[11].to_i)
end

def area_of(path)
  path = path.split("?").first
  first = path.split("/")[1]
  "/#{first}"
end

def thousands(n)
  n.to_s.gsub(/(\d)(?=(\d{3})+$)/, "\\1,")
end

analysis = Analysis.new
File.foreach(ARGV[0], chomp: true) { |line| analysis.read(line) }

puts "#{thousands(analysis.lines)} lines from #{analysis.addresses.length} addresses, #{analysis.unreadable.length} unreadable"
puts "status  requests"
analysis.statuses.sort.each { |status, count| puts "#{status}  #{thousands(count).rjust(11)}" }
puts "area             requests          bytes  errors   p50   p95   p99"
analysis.areas.values.sort_by { |area| [-area.requests, area.name] }.each do |area|
  cells = [area.name.ljust(12), thousands(area.requests).rjust(12), thousands(area.bytes).rjust(14), area.errors.to_s.rjust(7)]
  times = [50, 95, 99].map { |part| area.percentile(part).to_s.rjust(5) }
  puts (cells + times).join(" ").rstrip
end
hour, count = analysis.hours.max_by { |at, requests| [requests, -at] }
puts "busiest hour: #{format("%02d", hour)} with #{thousands(count)}"
analysis.users.sort_by { |user, bytes| [-bytes, user] }.first(3).each do |user, bytes|
  puts "#{user.ljust(6)}#{format("%.1f", bytes / 1024.0)} KB"
end
analysis.slowest.sort_by { |slow| [-slow.ms, slow.path] }.first(3).each do |slow|
  puts "#{slow.ms} ms #{slow.method} #{slow.path}"
end
