# The pages of `page.svc` in ERB, as one program of `../vm/peer.rb`.
require "erb"
require "cgi"

module Program
  Row = Struct.new(:id, :name, :email, :note, :kind, :paid, :total)

  class Page
    attr_reader :title, :user, :rows

    def initialize(title, user, rows)
      @title, @user, @rows = title, user, rows
    end

    def h(value)
      CGI.escapeHTML(value.to_s)
    end

    {"layout.erb" => "layout", "#{ENV.fetch("PAGE")}.erb" => "page", "_row.erb" => "show_row(row)"}.each do |file, method|
      path = File.join(__dir__, "views/erb", file)
      ERB.new(File.read(path), trim_mode: "-").def_method(self, method, path)
    end
  end

  def self.run
    rows = (1..100).map do |i|
      Row.new(i, i % 4 == 0 ? "Smith & Sons <#{i}>" : "Customer number #{i}", "customer#{i}@example.org", i % 10 == 0 ? "says \"soon\"" : "nothing to note", i.even? ? "even" : "odd", i % 3 == 0, i * 7)
    end
    html = ""
    100.times do
      page = Page.new("Orders & more", "Ann <ann@example.org>", rows)
      html = page.layout { page.page }
      raise "cut off" unless html.end_with?("</html>\n")
    end
    html
  end
end
