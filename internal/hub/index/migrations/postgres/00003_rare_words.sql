-- +goose Up
-- PostgreSQL guesses that a word it does not know is in one of 200 rows, and would look for the newest ones by walking back
-- in time: for a rare word, through all rows. So the hits are counted first, up to a bound: few are read by their index and
-- sorted, many are met soon on the way back.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_checkpoints (query tsquery, author text, agent_name text, team_name text, branch_name text, file text, since bigint, until bigint,
    after_at bigint, after_repo integer, after_id text, most integer)
RETURNS TABLE (repo integer, id text) LANGUAGE plpgsql STABLE ROWS 50 SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    q text;
    hits integer;
BEGIN
    EXECUTE 'SELECT count(*) FROM (SELECT FROM checkpoint c WHERE c.words @@ $1 LIMIT 2001) h' INTO hits USING query;
    IF hits > 2000 THEN
        q := 'SELECT c.repo, c.id FROM checkpoint c WHERE c.words @@ $1 AND c.repo = ANY ($2)';
    ELSE
        q := 'WITH hit AS MATERIALIZED (SELECT * FROM checkpoint h WHERE h.words @@ $1) SELECT c.repo, c.id FROM hit c WHERE c.repo = ANY ($2)';
    END IF;
    IF author <> '' THEN q := q || ' AND c.email = $3'; END IF;
    IF agent_name <> '' THEN q := q || ' AND c.agent = $4'; END IF;
    IF team_name <> '' THEN q := q || ' AND c.team = $5'; END IF;
    IF branch_name <> '' THEN q := q || ' AND c.branch = $6'; END IF;
    IF file LIKE '%/' THEN
        q := q || ' AND EXISTS (SELECT FROM file f WHERE f.repo = c.repo AND f.checkpoint = c.id AND f.path >= $7 AND f.path < left($7, -1) || ''0'')';
    ELSIF file <> '' THEN
        q := q || ' AND EXISTS (SELECT FROM file f WHERE f.repo = c.repo AND f.checkpoint = c.id AND f.path = $7)';
    END IF;
    IF since <> 0 THEN q := q || ' AND c.at >= $8'; END IF;
    IF until <> 0 THEN q := q || ' AND c.at < $9'; END IF;
    IF after_id <> '' THEN q := q || ' AND c.at <= $10 AND (c.at < $10 OR (c.repo, c.id) > ($11, $12))'; END IF;
    RETURN QUERY EXECUTE q || ' ORDER BY c.at DESC, c.repo, c.id LIMIT $13'
        USING query, COALESCE(string_to_array(NULLIF(current_setting('hub.repositories', true), ''), ',')::integer[], '{}'),
            author, agent_name, team_name, branch_name, file, since, until, after_at, after_repo, after_id, most;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1;
