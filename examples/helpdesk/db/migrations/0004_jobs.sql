CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  data JSON NOT NULL,
  run_at DATETIME NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  error TEXT
);
CREATE INDEX jobs_run_at ON jobs (run_at);

-- down
DROP TABLE jobs;
