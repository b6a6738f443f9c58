-- pgbench's four tables, the same SQL for PostgreSQL and YSQL.
DROP SCHEMA IF EXISTS app CASCADE; -- what scripts have made
DROP TABLE IF EXISTS lab_data, pgbench_history, pgbench_accounts, pgbench_tellers, pgbench_branches;
CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int NOT NULL, filler char(88));
CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int NOT NULL, tbalance int NOT NULL, filler char(84));
CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int NOT NULL, abalance int NOT NULL, filler char(84));
CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE
   ON pgbench_branches, pgbench_tellers, pgbench_accounts, pgbench_history TO app, app_clear, app_trust;
-- Written last: a load that was cut off leaves it empty, and the next start begins anew.
CREATE TABLE lab_data (scale int NOT NULL);
GRANT SELECT ON lab_data TO app, app_clear, app_trust;
