-- `stored` is the name of the file in the folder of uploads; `filename` is what the client called it.
CREATE TABLE attachments (
  id INTEGER PRIMARY KEY,
  comment INTEGER NOT NULL REFERENCES comments (id) ON DELETE CASCADE,
  filename TEXT NOT NULL,
  stored TEXT NOT NULL,
  size INTEGER NOT NULL
);
CREATE INDEX attachments_comment ON attachments (comment);

-- down
DROP TABLE attachments;
