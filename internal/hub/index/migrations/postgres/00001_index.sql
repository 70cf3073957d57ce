-- +goose Up
CREATE TABLE repository (
    id INTEGER PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    url TEXT COLLATE "C" NOT NULL DEFAULT '',
    state TEXT COLLATE "C" NOT NULL DEFAULT '',
    tip TEXT COLLATE "C" NOT NULL DEFAULT '',
    rules TEXT COLLATE "C" NOT NULL DEFAULT '',
    generation BIGINT NOT NULL DEFAULT 0,
    indexed_at BIGINT NOT NULL DEFAULT 0,
    checked_at BIGINT NOT NULL DEFAULT 0,
    problem TEXT COLLATE "C" NOT NULL DEFAULT ''
);
CREATE TABLE checkpoint (
    repo INTEGER NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    tree TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    month TEXT COLLATE "C" NOT NULL,
    branch TEXT COLLATE "C" NOT NULL,
    author TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    author_at BIGINT NOT NULL,
    team TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    sessions BIGINT NOT NULL,
    files BIGINT NOT NULL,
    recorded BOOLEAN NOT NULL,
    agent_lines BIGINT NOT NULL,
    person_lines BIGINT NOT NULL,
    unknown_lines BIGINT NOT NULL,
    stated BOOLEAN NOT NULL,
    signed BOOLEAN NOT NULL,
    commit_id TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    prompts TEXT COLLATE "C" NOT NULL,
    words tsvector GENERATED ALWAYS AS (to_tsvector('simple', prompts)) STORED,
    PRIMARY KEY (repo, id)
);
CREATE TABLE session (
    repo INTEGER NOT NULL,
    checkpoint TEXT COLLATE "C" NOT NULL,
    position INTEGER NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    day TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    team TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    turns BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    input BIGINT NOT NULL,
    cache_read BIGINT NOT NULL,
    cache_write BIGINT NOT NULL,
    output BIGINT NOT NULL,
    answers BIGINT NOT NULL,
    PRIMARY KEY (repo, checkpoint, position)
);
CREATE TABLE file (
    repo INTEGER NOT NULL,
    checkpoint TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    month TEXT COLLATE "C" NOT NULL,
    folder TEXT COLLATE "C" NOT NULL,
    team TEXT COLLATE "C" NOT NULL,
    agent_lines BIGINT NOT NULL,
    person_lines BIGINT NOT NULL,
    unknown_lines BIGINT NOT NULL,
    removed BIGINT NOT NULL,
    PRIMARY KEY (repo, checkpoint, path)
);
CREATE TABLE statement (
    repo INTEGER NOT NULL,
    checkpoint TEXT COLLATE "C" NOT NULL,
    clone TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    commit_id TEXT COLLATE "C" NOT NULL,
    signed BOOLEAN NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    previous TEXT COLLATE "C" NOT NULL,
    replaces BIGINT NOT NULL,
    PRIMARY KEY (repo, checkpoint, clone)
);
CREATE TABLE forgotten (
    repo INTEGER NOT NULL,
    checkpoint TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (repo, checkpoint)
);
CREATE TABLE lines_month (
    repo INTEGER NOT NULL,
    month TEXT COLLATE "C" NOT NULL,
    folder TEXT COLLATE "C" NOT NULL,
    team TEXT COLLATE "C" NOT NULL,
    files BIGINT NOT NULL,
    agent_lines BIGINT NOT NULL,
    person_lines BIGINT NOT NULL,
    unknown_lines BIGINT NOT NULL,
    PRIMARY KEY (repo, month, folder, team)
);
CREATE TABLE work_month (
    repo INTEGER NOT NULL,
    month TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    team TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    checkpoints BIGINT NOT NULL,
    agent_lines BIGINT NOT NULL,
    person_lines BIGINT NOT NULL,
    unknown_lines BIGINT NOT NULL,
    stated BIGINT NOT NULL,
    signed BIGINT NOT NULL,
    PRIMARY KEY (repo, month, email, team, agent)
);
CREATE TABLE usage_day (
    repo INTEGER NOT NULL,
    day TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    sessions BIGINT NOT NULL,
    input BIGINT NOT NULL,
    cache_read BIGINT NOT NULL,
    cache_write BIGINT NOT NULL,
    output BIGINT NOT NULL,
    answers BIGINT NOT NULL,
    PRIMARY KEY (repo, day, agent, model)
);
CREATE TABLE usage_month (
    repo INTEGER NOT NULL,
    month TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    team TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    sessions BIGINT NOT NULL,
    input BIGINT NOT NULL,
    cache_read BIGINT NOT NULL,
    cache_write BIGINT NOT NULL,
    output BIGINT NOT NULL,
    answers BIGINT NOT NULL,
    PRIMARY KEY (repo, month, email, team, agent, model)
);
CREATE INDEX checkpoint_at ON checkpoint (at DESC, repo, id);
CREATE INDEX checkpoint_repo_at ON checkpoint (repo, at DESC, id);
CREATE INDEX checkpoint_email_at ON checkpoint (email, at DESC, repo, id);
CREATE INDEX checkpoint_team_at ON checkpoint (team, at DESC, repo, id);
CREATE INDEX checkpoint_id ON checkpoint (id);
CREATE INDEX file_path ON file (path, at DESC, repo, checkpoint);
CREATE INDEX statement_clone ON statement (repo, clone, number);
CREATE INDEX checkpoint_words ON checkpoint USING gin (words);
-- +goose StatementBegin
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'entire_hub_reader') THEN
        CREATE ROLE entire_hub_reader NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
-- +goose StatementEnd
-- Whoever reads has this role and sees the repositories that the transaction was given, whatever it asks.
GRANT entire_hub_reader TO CURRENT_USER;
GRANT USAGE ON SCHEMA public TO entire_hub_reader;
ALTER TABLE repository ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON repository FOR SELECT TO entire_hub_reader
    USING (id = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON repository TO entire_hub_reader;
ALTER TABLE checkpoint ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON checkpoint FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON checkpoint TO entire_hub_reader;
ALTER TABLE session ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON session FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON session TO entire_hub_reader;
ALTER TABLE file ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON file FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON file TO entire_hub_reader;
ALTER TABLE statement ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON statement FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON statement TO entire_hub_reader;
ALTER TABLE forgotten ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON forgotten FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON forgotten TO entire_hub_reader;
ALTER TABLE lines_month ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON lines_month FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON lines_month TO entire_hub_reader;
ALTER TABLE work_month ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON work_month FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON work_month TO entire_hub_reader;
ALTER TABLE usage_day ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON usage_day FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON usage_day TO entire_hub_reader;
ALTER TABLE usage_month ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON usage_month FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON usage_month TO entire_hub_reader;

-- +goose Down
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
