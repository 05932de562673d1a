/** A web service of 20 files, as one would write it, for the tests of the language server. */
export const PROJECT: Readonly<Record<string, string>> = {
  'app.svc': `# Notes: people keep notes and share them.

require "settings"
require "routes/notes"
require "routes/people"
require "routes/pages"
import "lib/text" as text

## The application with all its routes.
def notes_app(store: Store)
  app = web_app()
  app.set("upload_bytes", 1_000_000)
  app.group("/notes") { |group| note_routes(group, store) }
  app.group("/people") { |group| people_routes(group, store) }
  page_routes(app, store)
  app.get("/health") { |req| html_response("ok #{text.shorten(NAME, 3)}") }
  app
end

notes_app(open_store()).run() if SERVES
`,
  'settings.svc': `require "store/store"

NAME = "notes"
SERVES = false
LIMITS = {title: 80, text: 4000, "tags": 5}

## The place where notes are stored.
def open_store() -> Store
  Store({}, {})
end
`,
  'store/store.svc': `require "../model/note"
require "../model/person"

## Notes and people, by their numbers.
record Store(notes: Hash, people: Hash) do
  ## Adds a note and returns it.
  def add(note: Note) -> Note
    notes[note.id] = note
    note
  end

  ## The note with a number, or nil.
  def find(id: Int) -> Note?
    notes[id]
  end

  def count() -> Int
    notes.length + people.length
  end
end
`,
  'store/search.svc': `require "store"

## Notes whose title contains a word.
def search(store: Store, word: String, limit = 10)
  found = store.notes.values.select { |note| note.title.include?(word) }
  found.take(limit)
end
`,
  'store/export.svc': `require "store"
require "../lib/csv"

def export_notes(store: Store) -> String
  lines = store.notes.values.map { |note| csv_line([note.id, note.title]) }
  lines.join("\\n")
end
`,
  'model/note.svc': `require "status"
require "named"

## What somebody wrote down.
record Note(id: Int, title: String, text: String = "", status: String = "open") is Named do
  ## The beginning of the text.
  def preview(width = 20) -> String
    text[0...width]
  end

  def name() -> String
    title
  end

  def open?() -> Bool
    status == Status.open
  end
end
`,
  'model/person.svc': `require "named"

## Somebody who writes notes.
record Person(id: Int, name: String, mail: String) is Named do
  def label() -> String
    "#{name} <#{mail}>"
  end
end
`,
  'model/named.svc': `## What has a name.
interface Named
  needs name

  ## A greeting with the name.
  def greet() -> String
    "Hello, #{name}"
  end
end
`,
  'model/status.svc': `## Whether a note is done.
enum Status(open, done)

enum Event(Created(at), Closed(at, reason))
`,
  'model/errors.svc': `## Raised for a note that does not exist.
error MissingNote < RuntimeError

def missing(id)
  raise MissingNote("there is no note #{id}")
end
`,
  'routes/notes.svc': `require "../store/store"
require "../store/search"
require "../model/errors"

## Registers the routes of notes.
def note_routes(group, store: Store)
  group.get("/") do |req|
    json_response(search(store, req.query["q"] or "", limit: 20))
  end
  group.get("/:id") do |req|
    note = store.find(req.params["id"].to_i)
    missing(req.params["id"]) if note == nil
    json_response(note)
  end
  group.post("/") do |req|
    given = req.json
    json_response(store.add(Note(store.count() + 1, given["title"])), 201)
  end
end
`,
  'routes/people.svc': `require "../store/store"

def people_routes(group, store: Store)
  group.get("/:id") do |req|
    person = store.people[req.params["id"].to_i]
    json_response({label: person.label})
  end
end
`,
  'routes/pages.svc': `require "../store/store"
require "../store/export"

def page_routes(app, store: Store)
  app.get("/") { |req| html_response("<h1>Notes</h1>") }
  app.get("/export.csv") { |req| html_response(export_notes(store)) }
end
`,
  'lib/text.svc': `## The first characters of a text, and a mark if there are more.
def shorten(text: String, width: Int = 10) -> String
  return text if text.length <= width
  text[0...width] + MARK
end

MARK = "…"

private def unused_helper(x) = x
`,
  'lib/csv.svc': `## A line of a CSV file.
def csv_line(values: Vector) -> String
  values.map { |value| csv_value(value) }.join(",")
end

def csv_value(value)
  text = value.to_s
  text.include?(",") ? "\\"#{text}\\"" : text
end
`,
  'lib/dates.svc': `def day_of(date)
  date.format("%d.%m.%Y")
end
`,
  'lib/unicode.svc': `# Names with letters beyond ASCII: 🎉 counts two units.
größe = "🎉🎉"; länge = größe.length
puts "#{größe} 🎉", länge, größe
`,
  'tests/notes_test.svc': `require "../store/store"
require "../store/search"

test "a note is found" do
  store = Store({}, {})
  store.add(Note(1, "Milk", text: "two bottles"))
  assert_eq(search(store, "Milk").length, 1)
  assert_eq(store.find(1).preview(3), "two")
end
`,
  'tests/text_test.svc': `import "../lib/text"

test "long texts are shortened" do
  assert_eq(text.shorten("abcdef", 3), "abc…")
  assert_eq(text.shorten("ab", width: 3), "ab")
end
`,
  'tools/report.svc': `require "../store/store"
require "../model/errors"

def report(store: Store)
  case store.find(1)
  when nil then missing(1)
  else puts store.count()
  end
rescue MissingNote => e
  puts e.message
end

report(Store({}, {}))
`,
};
