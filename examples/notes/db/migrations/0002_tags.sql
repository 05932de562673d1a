CREATE TABLE tags (
  note INTEGER NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  PRIMARY KEY (note, name)
);
CREATE INDEX tags_name ON tags (name);

-- down
DROP TABLE tags;
