-- What every database of the lab starts with, before its data: who may do what in it.
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO lab;
GRANT USAGE ON SCHEMA public TO app, app_clear, app_trust;
