-- The lab's roles. Passwords come from the environment; \getenv keeps them out of command lines.
\getenv lab_password LAB_PASSWORD
\getenv app_password APP_PASSWORD
\getenv clear_password APP_CLEAR_PASSWORD
\getenv monitor_password MONITOR_PASSWORD
\getenv replication_password REPLICATION_PASSWORD

-- The lab's own: owns the database, prepares cells, reads what the server says of itself.
CREATE ROLE lab LOGIN PASSWORD :'lab_password' IN ROLE pg_monitor, pg_checkpoint, pg_signal_backend;
-- What health checks and Pgpool-II's own checks log in as.
CREATE ROLE monitor LOGIN PASSWORD :'monitor_password' IN ROLE pg_monitor;
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'replication_password';

-- The three ways in that a client has: PgBouncer holds the role's SCRAM secret, its clear password, or nothing.
CREATE ROLE app LOGIN PASSWORD :'app_password';
CREATE ROLE app_clear LOGIN PASSWORD :'clear_password';
-- Has no password, so it can log in only while a cell needs it: the lab turns LOGIN on and off.
CREATE ROLE app_trust NOLOGIN;
GRANT app_trust TO lab WITH ADMIN OPTION, INHERIT FALSE, SET FALSE;
ALTER ROLE lab CREATEROLE;

-- The lab puts replication on a link by changing where the standby streams from.
GRANT ALTER SYSTEM ON PARAMETER primary_conninfo TO lab;
GRANT EXECUTE ON FUNCTION pg_reload_conf() TO lab;

CREATE DATABASE lab OWNER lab;
REVOKE CONNECT ON DATABASE postgres FROM PUBLIC;
GRANT CONNECT ON DATABASE postgres TO lab, monitor;
\ir grants.sql
