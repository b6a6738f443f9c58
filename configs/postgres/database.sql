-- What every database of the lab starts with, before its data: who may do what in it.
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO lab;
GRANT USAGE ON SCHEMA public TO app, app_clear, app_trust;

-- Scripts make tables of their own in the schema app, which role app searches first (internal/setup). None of them may
-- hide the lab's: lessons log in as app, too.
CREATE FUNCTION lab_keep_names() RETURNS event_trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  taken text;
BEGIN
  SELECT own.relname INTO taken FROM pg_class AS own JOIN pg_class AS ours USING (relname)
   WHERE own.relnamespace = to_regnamespace('app') AND ours.relnamespace = to_regnamespace('public');
  IF FOUND THEN
    RAISE EXCEPTION 'app.% would hide the lab''s own %', taken, taken
      USING ERRCODE = 'duplicate_table', HINT = 'Give it another name. scripts/reset --scale N loads pgbench''s tables anew.';
  END IF;
END $$;
CREATE EVENT TRIGGER lab_keep_names ON ddl_command_end EXECUTE FUNCTION lab_keep_names();
