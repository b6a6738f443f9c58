-- What some workloads need beside pgbench's tables, the same SQL for PostgreSQL and YSQL. It runs at each start of the
-- lab, so that data which an earlier version made gets it without being loaded again.

-- pgbench's transaction in one call.
CREATE OR REPLACE FUNCTION lab_tpcb(account int, branch int, teller int, amount int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  balance int;
BEGIN
  UPDATE pgbench_accounts SET abalance = abalance + amount WHERE aid = account;
  SELECT abalance INTO balance FROM pgbench_accounts WHERE aid = account;
  UPDATE pgbench_tellers SET tbalance = tbalance + amount WHERE tid = teller;
  UPDATE pgbench_branches SET bbalance = bbalance + amount WHERE bid = branch;
  INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (teller, branch, account, amount, CURRENT_TIMESTAMP);
  RETURN balance;
END
$$;
GRANT EXECUTE ON FUNCTION lab_tpcb TO app, app_clear, app_trust;

-- What bulk loads go into. It writes WAL as any table does: an unlogged one would hide what a load waits for.
CREATE TABLE IF NOT EXISTS lab_load (aid int, bid int, abalance int, filler char(84));
GRANT SELECT, INSERT, TRUNCATE ON lab_load TO app, app_clear, app_trust;
-- Where scripts make tables of their own: role app finds its schema first.
CREATE SCHEMA IF NOT EXISTS app;
GRANT USAGE, CREATE ON SCHEMA app TO app;
