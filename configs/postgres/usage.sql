-- What the asking backend has used since it started, as its kernel tells in files: CPU time in nanoseconds, and page
-- faults for which nothing had to be read from a disk. The lab's sampler asks for its own cost, and 01-connect for that
-- of a new connection. It is applied to the databases postgres and lab at each start of the primary: a statement a line,
-- each of which may be said again.

CREATE OR REPLACE FUNCTION lab_cpu_ns() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog RETURN split_part(pg_read_file('/proc/self/schedstat', 0, 100, true), ' ', 1)::bigint;
CREATE OR REPLACE FUNCTION lab_minor_faults() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog RETURN split_part(pg_read_file('/proc/self/stat', 0, 1000, true), ' ', 10)::bigint;
REVOKE EXECUTE ON FUNCTION lab_cpu_ns(), lab_minor_faults() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lab_cpu_ns(), lab_minor_faults() TO lab, app;
