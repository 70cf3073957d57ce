-- +goose Up
-- Lists read their keys from an index alone, whatever they are filtered by.
CREATE INDEX checkpoint_agent_at ON checkpoint (agent, at DESC, repo, id);
CREATE INDEX checkpoint_branch_at ON checkpoint (branch, at DESC, repo, id);
-- The sums of all months, for reports that ask for no month.
CREATE TABLE work_total (
    repo INTEGER NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    team TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    checkpoints BIGINT NOT NULL,
    agent_lines BIGINT NOT NULL,
    person_lines BIGINT NOT NULL,
    unknown_lines BIGINT NOT NULL,
    stated BIGINT NOT NULL,
    signed BIGINT NOT NULL,
    PRIMARY KEY (repo, email, team, agent)
);
CREATE TABLE usage_total (
    repo INTEGER NOT NULL,
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
    PRIMARY KEY (repo, email, team, agent, model)
);
INSERT INTO work_total SELECT repo, email, team, agent, SUM(checkpoints), SUM(agent_lines), SUM(person_lines), SUM(unknown_lines), SUM(stated), SUM(signed)
    FROM work_month GROUP BY 1, 2, 3, 4;
INSERT INTO usage_total SELECT repo, email, team, agent, model, SUM(sessions), SUM(input), SUM(cache_read), SUM(cache_write), SUM(output), SUM(answers)
    FROM usage_month GROUP BY 1, 2, 3, 4, 5;
ALTER TABLE work_total ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON work_total FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON work_total TO entire_hub_reader;
ALTER TABLE usage_total ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON usage_total FOR SELECT TO entire_hub_reader
    USING (repo = ANY (COALESCE((SELECT string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[]), '{}')));
GRANT SELECT ON usage_total TO entire_hub_reader;
-- Of the ways to find the newest hits this chooses the one that reads the fewest rows: few hits of the words by their index,
-- few of the path by its index, in few repositories back in time in each, or back in time in all. Tests set the bounds.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_checkpoints (query tsquery, author text, agent_name text, team_name text, branch_name text, file text, since bigint, until bigint,
    after_at bigint, after_repo integer, after_id text, most integer)
RETURNS TABLE (repo integer, id text) LANGUAGE plpgsql VOLATILE ROWS 50 SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    few CONSTANT integer := COALESCE(NULLIF(current_setting('hub.few', true), ''), '5000')::integer;
    each CONSTANT integer := COALESCE(NULLIF(current_setting('hub.each', true), ''), '16')::integer;
    scope integer[] := COALESCE(string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[], '{}');
    filters text := '';
    below text := '';
    plan json;
    hits integer := few + 1;
    files integer := few + 1;
    q text;
BEGIN
    IF author <> '' THEN filters := filters || ' AND c.email = $3'; END IF;
    IF agent_name <> '' THEN filters := filters || ' AND c.agent = $4'; END IF;
    IF team_name <> '' THEN filters := filters || ' AND c.team = $5'; END IF;
    IF branch_name <> '' THEN filters := filters || ' AND c.branch = $6'; END IF;
    IF since <> 0 THEN filters := filters || ' AND c.at >= $8'; END IF;
    IF until <> 0 THEN filters := filters || ' AND c.at < $9'; END IF;
    IF after_id <> '' THEN filters := filters || ' AND c.at <= $10 AND (c.at < $10 OR (c.repo, c.id) > ($11, $12))'; END IF;
    IF file LIKE '%/' THEN
        below := 'f.path >= $7 AND f.path < left($7, -1) || ''0''';
    ELSIF file <> '' THEN
        below := 'f.path = $7';
    END IF;

    -- PostgreSQL knows how frequent the most frequent words are. Of others it does not, and they are counted, up to a bound.
    -- EXPLAIN makes the function volatile; it changes nothing.
    EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM checkpoint c WHERE c.words @@ ' || quote_literal(query::text) || '::tsquery' INTO plan;
    IF (plan->0->'Plan'->>'Plan Rows')::numeric <= GREATEST(few, (SELECT c.reltuples FROM pg_class c WHERE c.oid = 'public.checkpoint'::regclass) / 100) THEN
        EXECUTE 'SELECT count(*) FROM (SELECT FROM checkpoint c WHERE c.words @@ $1 LIMIT $2) h' INTO hits USING query, few + 1;
    END IF;
    IF hits > few AND below <> '' THEN
        EXECUTE 'SELECT count(*) FROM (SELECT FROM file f WHERE ' || replace(below, '$7', '$1') || ' AND f.repo = ANY ($2) LIMIT $3) h' INTO files USING file, scope, few + 1;
    END IF;

    IF hits > few AND files <= few THEN
        q := 'WITH hit AS MATERIALIZED (SELECT DISTINCT f.repo, f.checkpoint FROM file f WHERE ' || below || ' AND f.repo = ANY ($2))
            SELECT c.repo, c.id FROM hit h JOIN checkpoint c ON c.repo = h.repo AND c.id = h.checkpoint WHERE c.words @@ $1' || filters || ' ORDER BY c.at DESC, c.repo, c.id LIMIT $13';
    ELSE
        IF below <> '' THEN filters := filters || ' AND EXISTS (SELECT FROM file f WHERE f.repo = c.repo AND f.checkpoint = c.id AND ' || below || ')'; END IF;
        IF hits <= few THEN
            q := 'WITH hit AS MATERIALIZED (SELECT * FROM checkpoint h WHERE h.words @@ $1)
                SELECT c.repo, c.id FROM hit c WHERE c.repo = ANY ($2)' || filters || ' ORDER BY c.at DESC, c.repo, c.id LIMIT $13';
        ELSIF cardinality(scope) <= each THEN
            q := 'SELECT k.repo, k.id FROM unnest($2) s (r) CROSS JOIN LATERAL (SELECT c.repo, c.id, c.at FROM checkpoint c WHERE c.repo = s.r AND c.words @@ $1' || filters ||
                ' ORDER BY c.at DESC, c.id LIMIT $13) k ORDER BY k.at DESC, k.repo, k.id LIMIT $13';
        ELSE
            q := 'SELECT c.repo, c.id FROM checkpoint c WHERE c.words @@ $1 AND c.repo = ANY ($2)' || filters || ' ORDER BY c.at DESC, c.repo, c.id LIMIT $13';
        END IF;
    END IF;
    RETURN QUERY EXECUTE q USING query, scope, author, agent_name, team_name, branch_name, file, since, until, after_at, after_repo, after_id, most;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP TABLE usage_total;
DROP TABLE work_total;
DROP INDEX checkpoint_branch_at;
DROP INDEX checkpoint_agent_at;
