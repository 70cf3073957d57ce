-- +goose Up
CREATE TABLE repository (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT '',
    tip TEXT NOT NULL DEFAULT '',
    rules TEXT NOT NULL DEFAULT '',
    generation INTEGER NOT NULL DEFAULT 0,
    indexed_at INTEGER NOT NULL DEFAULT 0,
    checked_at INTEGER NOT NULL DEFAULT 0,
    problem TEXT NOT NULL DEFAULT ''
);
CREATE TABLE checkpoint (
    repo INTEGER NOT NULL,
    id TEXT NOT NULL,
    tree TEXT NOT NULL,
    at INTEGER NOT NULL,
    month TEXT NOT NULL,
    branch TEXT NOT NULL,
    author TEXT NOT NULL,
    email TEXT NOT NULL,
    author_at INTEGER NOT NULL,
    team TEXT NOT NULL,
    agent TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    files INTEGER NOT NULL,
    recorded BOOLEAN NOT NULL,
    agent_lines INTEGER NOT NULL,
    person_lines INTEGER NOT NULL,
    unknown_lines INTEGER NOT NULL,
    stated BOOLEAN NOT NULL,
    signed BOOLEAN NOT NULL,
    commit_id TEXT NOT NULL,
    title TEXT NOT NULL,
    prompts TEXT NOT NULL,
    PRIMARY KEY (repo, id)
);
CREATE TABLE session (
    repo INTEGER NOT NULL,
    checkpoint TEXT NOT NULL,
    position INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    day TEXT NOT NULL,
    email TEXT NOT NULL,
    team TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    title TEXT NOT NULL,
    turns INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    input INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    PRIMARY KEY (repo, checkpoint, position)
) WITHOUT ROWID;
CREATE TABLE file (
    repo INTEGER NOT NULL,
    checkpoint TEXT NOT NULL,
    path TEXT NOT NULL,
    at INTEGER NOT NULL,
    month TEXT NOT NULL,
    folder TEXT NOT NULL,
    team TEXT NOT NULL,
    agent_lines INTEGER NOT NULL,
    person_lines INTEGER NOT NULL,
    unknown_lines INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    PRIMARY KEY (repo, checkpoint, path)
) WITHOUT ROWID;
CREATE TABLE statement (
    repo INTEGER NOT NULL,
    checkpoint TEXT NOT NULL,
    clone TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    person TEXT NOT NULL,
    email TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    signed BOOLEAN NOT NULL,
    digest TEXT NOT NULL,
    previous TEXT NOT NULL,
    replaces INTEGER NOT NULL,
    PRIMARY KEY (repo, checkpoint, clone)
) WITHOUT ROWID;
CREATE TABLE forgotten (
    repo INTEGER NOT NULL,
    checkpoint TEXT NOT NULL,
    at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (repo, checkpoint)
) WITHOUT ROWID;
CREATE TABLE lines_month (
    repo INTEGER NOT NULL,
    month TEXT NOT NULL,
    folder TEXT NOT NULL,
    team TEXT NOT NULL,
    files INTEGER NOT NULL,
    agent_lines INTEGER NOT NULL,
    person_lines INTEGER NOT NULL,
    unknown_lines INTEGER NOT NULL,
    PRIMARY KEY (repo, month, folder, team)
) WITHOUT ROWID;
CREATE TABLE work_month (
    repo INTEGER NOT NULL,
    month TEXT NOT NULL,
    email TEXT NOT NULL,
    team TEXT NOT NULL,
    agent TEXT NOT NULL,
    checkpoints INTEGER NOT NULL,
    agent_lines INTEGER NOT NULL,
    person_lines INTEGER NOT NULL,
    unknown_lines INTEGER NOT NULL,
    stated INTEGER NOT NULL,
    signed INTEGER NOT NULL,
    PRIMARY KEY (repo, month, email, team, agent)
) WITHOUT ROWID;
CREATE TABLE usage_day (
    repo INTEGER NOT NULL,
    day TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    input INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    PRIMARY KEY (repo, day, agent, model)
) WITHOUT ROWID;
CREATE TABLE usage_month (
    repo INTEGER NOT NULL,
    month TEXT NOT NULL,
    email TEXT NOT NULL,
    team TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    input INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    PRIMARY KEY (repo, month, email, team, agent, model)
) WITHOUT ROWID;
CREATE INDEX checkpoint_at ON checkpoint (at DESC, repo, id);
CREATE INDEX checkpoint_repo_at ON checkpoint (repo, at DESC, id);
CREATE INDEX checkpoint_email_at ON checkpoint (email, at DESC, repo, id);
CREATE INDEX checkpoint_team_at ON checkpoint (team, at DESC, repo, id);
CREATE INDEX checkpoint_id ON checkpoint (id);
CREATE INDEX file_path ON file (path, at DESC, repo, checkpoint);
CREATE INDEX statement_clone ON statement (repo, clone, number);
CREATE VIRTUAL TABLE words USING fts5 (prompts, content = 'checkpoint', content_rowid = 'rowid', tokenize = 'unicode61');
-- +goose StatementBegin
CREATE TRIGGER words_added AFTER INSERT ON checkpoint BEGIN
    INSERT INTO words (rowid, prompts) VALUES (new.rowid, new.prompts);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER words_removed AFTER DELETE ON checkpoint BEGIN
    INSERT INTO words (words, rowid, prompts) VALUES ('delete', old.rowid, old.prompts);
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE words;
DROP TABLE usage_month;
DROP TABLE usage_day;
DROP TABLE work_month;
DROP TABLE lines_month;
DROP TABLE forgotten;
DROP TABLE statement;
DROP TABLE file;
DROP TABLE session;
DROP TABLE checkpoint;
DROP TABLE repository;
