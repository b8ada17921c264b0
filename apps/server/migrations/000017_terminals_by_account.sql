-- Which terminals use an account: logins are equal without leading zeros.
create index terminals_by_account on terminals (user_id, ltrim(login, '0'), id) where deleted_at is null;
