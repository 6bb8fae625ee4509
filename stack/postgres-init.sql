-- What a superuser runs once in the database of a Stratalog: a login that row-level security binds, the role that its
-- queries take, and the extension. Another password is set with `alter role stratalog password '…'`.
create role stratalog login password 'stratalog' nosuperuser nocreaterole nobypassrls;
create role stratalog_query nologin;
grant stratalog_query to stratalog with inherit false, set true;
alter database stratalog owner to stratalog;
create extension vector;
