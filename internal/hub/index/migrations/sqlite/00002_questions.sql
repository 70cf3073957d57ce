-- +goose Up
-- Lists read their keys from an index alone, whatever they are filtered by.
CREATE INDEX checkpoint_agent_at ON checkpoint (agent, at DESC, repo, id);
CREATE INDEX checkpoint_branch_at ON checkpoint (branch, at DESC, repo, id);
-- The sums of all months, for reports that ask for no month.
CREATE TABLE work_total (
    repo INTEGER NOT NULL,
    email TEXT NOT NULL,
    team TEXT NOT NULL,
    agent TEXT NOT NULL,
    checkpoints INTEGER NOT NULL,
    agent_lines INTEGER NOT NULL,
    person_lines INTEGER NOT NULL,
    unknown_lines INTEGER NOT NULL,
    stated INTEGER NOT NULL,
    signed INTEGER NOT NULL,
    PRIMARY KEY (repo, email, team, agent)
) WITHOUT ROWID;
CREATE TABLE usage_total (
    repo INTEGER NOT NULL,
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
    PRIMARY KEY (repo, email, team, agent, model)
) WITHOUT ROWID;
INSERT INTO work_total SELECT repo, email, team, agent, SUM(checkpoints), SUM(agent_lines), SUM(person_lines), SUM(unknown_lines), SUM(stated), SUM(signed)
    FROM work_month GROUP BY 1, 2, 3, 4;
INSERT INTO usage_total SELECT repo, email, team, agent, model, SUM(sessions), SUM(input), SUM(cache_read), SUM(cache_write), SUM(output), SUM(answers)
    FROM usage_month GROUP BY 1, 2, 3, 4, 5;

-- +goose Down
DROP TABLE usage_total;
DROP TABLE work_total;
DROP INDEX checkpoint_branch_at;
DROP INDEX checkpoint_agent_at;
