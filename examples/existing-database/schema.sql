-- A database as somebody else made it: own naming, own types, no trace of Steward.
create table CUSTOMERS (
  CustomerId integer primary key,
  Company varchar(80) not null,
  Country varchar(2),
  Since date,
  CreditLimit decimal(10, 2)
);
create unique index customers_company on CUSTOMERS (Company);

create table PRODUCTS (
  Sku varchar(20) primary key,
  Name varchar(120) not null,
  Price decimal(10, 2) not null,
  Discontinued boolean not null default 0,
  Photo blob
);

create table ORDERS (
  OrderNo integer primary key,
  CustomerId integer not null references CUSTOMERS (CustomerId),
  OrderedAt datetime not null,
  Comment text
);

create table ORDER_LINES (
  LineId integer primary key,
  OrderNo integer not null references ORDERS (OrderNo) on delete cascade,
  Sku varchar(20) not null references PRODUCTS (Sku),
  Quantity integer not null
);

-- Several columns identify a row.
create table STOCK (
  Warehouse varchar(10),
  Sku varchar(20) references PRODUCTS (Sku),
  Quantity integer not null,
  primary key (Warehouse, Sku)
) without rowid;

-- Served for reading: a view.
create view BIG_ORDERS as select OrderNo, sum(Quantity) as Pieces from ORDER_LINES group by OrderNo having sum(Quantity) > 10;

insert into CUSTOMERS values
  (1, 'Alfreds Futterkiste', 'DE', '2019-03-01', 2500),
  (2, 'Around the Horn', 'GB', '2020-11-15', 12000.5),
  (3, 'Bergs snabbköp', 'SE', null, null);

insert into PRODUCTS (Sku, Name, Price, Discontinued) values
  ('CHAI', 'Chai, 10 boxes of 20 bags', 18, 0),
  ('CHANG', 'Chang, 24 bottles', 19, 0),
  ('IKURA', 'Ikura, 12 jars', 31, 1);

insert into ORDERS values
  (10643, 1, '2025-08-25 09:30:00', null),
  (10702, 1, '2025-10-13 14:00:00', 'Leave at the gate'),
  (10355, 2, '2025-11-15 08:15:00', null);

insert into ORDER_LINES values
  (1, 10643, 'CHAI', 15),
  (2, 10643, 'IKURA', 2),
  (3, 10702, 'CHANG', 6),
  (4, 10355, 'CHAI', 25);

insert into STOCK values ('NORTH', 'CHAI', 40);
