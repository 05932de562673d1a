CREATE TABLE tickets (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 2 CHECK (priority BETWEEN 1 AND 3),
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
  customer INTEGER NOT NULL REFERENCES people (id),
  agent INTEGER REFERENCES people (id),
  created DATETIME NOT NULL,
  updated DATETIME NOT NULL,
  reminded DATETIME
);
CREATE INDEX tickets_customer ON tickets (customer, updated);
CREATE INDEX tickets_updated ON tickets (updated);

CREATE TABLE comments (
  id INTEGER PRIMARY KEY,
  ticket INTEGER NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
  author INTEGER NOT NULL REFERENCES people (id),
  text TEXT NOT NULL,
  created DATETIME NOT NULL
);
CREATE INDEX comments_ticket ON comments (ticket, id);

-- down
DROP TABLE comments;
DROP TABLE tickets;
