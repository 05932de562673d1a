CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  visitor TEXT NOT NULL,
  created DATETIME NOT NULL
);

-- down
DROP TABLE entries;
