-- What the executor `mysql` needs of the server on which it makes instances, and nothing besides: no
-- SUPER, FILE, PROCESS, RELOAD or SHUTDOWN. MariaDB makes the user from MARIADB_USER before this runs.
-- It hands every one of these rights on to the users of instances, each for their own schema.
GRANT
  SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, REFERENCES,
  CREATE TEMPORARY TABLES, LOCK TABLES, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE,
  EXECUTE, EVENT, TRIGGER, CREATE USER
  ON *.* TO 'backstep'@'%' WITH GRANT OPTION;
