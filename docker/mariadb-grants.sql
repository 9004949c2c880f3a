-- What the executor `mysql` needs of the server on which it makes instances, and nothing besides.
-- MariaDB makes the user from MARIADB_USER before this runs. The names of schemas and users of
-- instances begin with `bks_`. It hands these rights on to the users of instances, each for their
-- own schema.
GRANT
  SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, REFERENCES,
  CREATE TEMPORARY TABLES, LOCK TABLES, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE,
  EXECUTE, EVENT, TRIGGER
  ON `bks\_%`.* TO 'backstep'@'%' WITH GRANT OPTION;
-- Its own tables.
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON `backstep`.* TO 'backstep'@'%';
-- Whether a name is taken.
GRANT SELECT (User) ON `mysql`.`user` TO 'backstep'@'%';
-- Makes and removes the users of instances. MariaDB cannot limit it to some names: with it the
-- password of every user can be changed, of administrators, too. So the server should be for
-- instances alone.
GRANT CREATE USER ON *.* TO 'backstep'@'%';
