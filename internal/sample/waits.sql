-- What each client session is doing and waiting for at this moment: one sample, a row a session.
-- For any PostgreSQL from 13 to 18, as a superuser or a role in pg_monitor: others see none but their own sessions.
--
-- With psql, ten samples a second until Ctrl-C:
--     (cat waits.sql; echo '\watch 0.1') | psql
--
-- How to read it: sample often, and count what stands in counts_as. Its share is that of the sessions' time.
--     CPU                 working: active, and waiting for nothing
--     Client:ClientRead   waiting for the client within a transaction or a COPY: a slow network, or a slow application
--     Client:ClientWrite  waiting until the client takes more of a result
--     IO:... LWLock:... Lock:...  waiting for the disk, for shared memory, for another transaction
--     Net/Delay           idle between transactions: nobody asks anything, because of the network or the application
-- The server can't tell a slow network from a slow application, nor a session that works from one that waits for a
-- free CPU. An idle session shows Client:ClientRead in wait_event all the same; that is why counts_as sets it apart.
--
-- It asks the function, not the view pg_stat_activity, which looks up names that nobody needs here and costs more.
SELECT a.pid,
       pg_get_userbyid(a.usesysid) AS role,
       a.state,
       a.wait_event_type,
       a.wait_event,
       a.xact_start IS NOT NULL AS in_transaction,
       a.query_start,
       a.state_change,
       CASE WHEN a.state = 'idle' THEN 'Net/Delay'
            WHEN a.wait_event IS NULL THEN 'CPU'
            ELSE a.wait_event_type || ':' || a.wait_event END AS counts_as
FROM pg_stat_get_activity(NULL) AS a
WHERE a.backend_type = 'client backend' AND a.pid <> pg_backend_pid();
