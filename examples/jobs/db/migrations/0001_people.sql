CREATE TABLE people (
  email TEXT PRIMARY KEY,
  token TEXT NOT NULL,
  confirmed INTEGER NOT NULL DEFAULT 0,
  signed_up DATETIME NOT NULL
);

-- down
DROP TABLE people;
