-- +goose Up
-- The operator @@ may tell of the rows that it sees, in errors, so row-level security lets no index of it be used. This
-- function sees all rows as their owner, keeps those of the transaction's repositories, and gives the keys of the newest;
-- whoever calls it reads the rows with their own rights.
-- +goose StatementBegin
CREATE FUNCTION search_checkpoints (query tsquery, author text, agent_name text, team_name text, branch_name text, file text, since bigint, until bigint,
    after_at bigint, after_repo integer, after_id text, most integer)
RETURNS TABLE (repo integer, id text) LANGUAGE plpgsql STABLE ROWS 50 SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    q text := 'SELECT c.repo, c.id FROM checkpoint c WHERE c.words @@ $1 AND c.repo = ANY ($2)';
BEGIN
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
REVOKE EXECUTE ON FUNCTION search_checkpoints FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_checkpoints TO entire_hub_reader;

-- +goose Down
DROP FUNCTION search_checkpoints;
