-- What lessons turn while the lab runs. It is applied when the cluster is made and, since lessons come to need more, at
-- each start of the primary: a statement a line, each of which may be said again.

-- Studied on the standby: whether its long reads are cancelled.
GRANT ALTER SYSTEM ON PARAMETER hot_standby_feedback, max_standby_streaming_delay TO lab;
-- Studied on the primary: what a commit waits for.
GRANT ALTER SYSTEM ON PARAMETER synchronous_commit, synchronous_standby_names TO lab;
-- The first connection to a database just made is one that lessons measure.
ALTER ROLE lab CREATEDB;
-- What a pooler makes of SET ROLE is studied.
GRANT app_clear TO app WITH INHERIT FALSE, SET TRUE;
-- scripts/reset takes back what a role has set for itself (ALTER ROLE ... SET).
GRANT app, app_clear TO lab WITH ADMIN OPTION, INHERIT FALSE, SET FALSE;
