create table orders (id int primary key, customer varchar(100));
insert into orders values (7, 'Ada');
