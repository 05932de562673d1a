CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  created DATETIME NOT NULL
);

-- down
DROP TABLE notes;
