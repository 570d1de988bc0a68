--postgresql create schema person;
--postgresql create schema humanresources;
--postgresql create schema production;
--postgresql create schema sales;
--postgresql create domain "Name" varchar(50) null;
--postgresql create domain "Flag" boolean not null;
create table person.businessentity (businessentityid {id}, rowguid {uuid} not null, modifieddate {datetime} default {now} not null);
create table person.person (
  businessentityid int primary key references person.businessentity (businessentityid), persontype char(2) not null, namestyle {flag} default {false},
  title varchar(8), firstname {name} not null, middlename {name}, lastname {name} not null, emailpromotion int default 0 not null,
  additionalcontactinfo {xml}, rowguid {uuid} not null);
create table person.emailaddress (
  businessentityid int not null references person.person (businessentityid), emailaddressid int not null, emailaddress varchar(50),
  primary key (businessentityid, emailaddressid));
create table person.countryregion (countryregioncode varchar(3) primary key not null, name {name} not null);
create table humanresources.department (departmentid {id}, name {name} not null, groupname {name} not null);
create table humanresources.employee (
  businessentityid int primary key references person.person (businessentityid), nationalidnumber varchar(15) not null, jobtitle varchar(50) not null,
  birthdate date not null, maritalstatus char(1) not null check (upper(maritalstatus) in ('M', 'S')), salariedflag {flag} default {true},
  vacationhours smallint default 0 not null);
create table humanresources.employeedepartmenthistory (
  businessentityid int not null references humanresources.employee (businessentityid), departmentid int not null references humanresources.department (departmentid),
  startdate date not null, enddate date, primary key (businessentityid, startdate, departmentid));
create table production.productcategory (productcategoryid {id}, name {name} not null, rowguid {uuid} not null unique);
create table production.productsubcategory (
  productsubcategoryid {id}, productcategoryid int not null references production.productcategory (productcategoryid), name {name} not null);
create table production.product (
  productid {id}, name {name} not null, productnumber varchar(25) not null unique, makeflag {flag} default {true}, color varchar(15),
  standardcost numeric(19,4) not null, listprice numeric(19,4) not null check (listprice >= 0), weight decimal(8,2),
  productsubcategoryid int references production.productsubcategory (productsubcategoryid), sellstartdate {datetime} not null);
create table production.productphoto (productphotoid {id}, thumbnailphoto {blob}, thumbnailphotofilename varchar(50));
create table sales.customer (customerid {id}, personid int references person.person (businessentityid), accountnumber varchar(20) generated always as ({account}) stored);
create table sales.salesorderheader (
  salesorderid {id}, revisionnumber smallint default 0 not null, orderdate {datetime} not null, status smallint default 1 not null,
  customerid int not null references sales.customer (customerid), subtotal numeric(19,4) default 0.00 not null);
create table sales.salesorderdetail (
  salesorderid int not null references sales.salesorderheader (salesorderid) on delete cascade, salesorderdetailid int not null,
  orderqty smallint not null, productid int not null references production.product (productid), unitprice numeric(19,4) not null,
  primary key (salesorderid, salesorderdetailid));
insert into person.businessentity (businessentityid, rowguid, modifieddate) values
  (1, '0c7d8f81-d7b1-4cf0-9c0a-4cd8b6b50087', '2017-12-13 13:20:24'), (2, '6648747f-7843-4002-b317-65389684c398', '2017-12-13 13:20:24');
insert into person.person (businessentityid, persontype, namestyle, title, firstname, middlename, lastname, emailpromotion, additionalcontactinfo, rowguid) values
  (1, 'EM', {false}, null, 'Ken', 'J', 'Sánchez', 0, null, '92c4279f-1207-48a3-8448-4636514eb7e2'),
  (2, 'EM', {true}, 'Mr.', 'Terri', null, 'Duffy', 1, '<phone>819-555-0175</phone>', 'd8763459-8aa8-47cc-aff7-c9079af79033');
insert into person.emailaddress (businessentityid, emailaddressid, emailaddress) values (1, 1, 'ken0@adventure-works.com'), (2, 2, 'terri0@adventure-works.com');
insert into person.countryregion (countryregioncode, name) values ('DE', 'Germany'), ('US', 'United States');
insert into humanresources.department (departmentid, name, groupname) values (1, 'Engineering', 'Research and Development'), (16, 'Executive', 'Executive General and Administration');
insert into humanresources.employee (businessentityid, nationalidnumber, jobtitle, birthdate, maritalstatus, salariedflag, vacationhours) values
  (1, '295847284', 'Chief Executive Officer', '1969-01-29', 'S', {true}, 99), (2, '245797967', 'Vice President of Engineering', '1971-08-01', 'S', {true}, 1);
insert into humanresources.employeedepartmenthistory (businessentityid, departmentid, startdate, enddate) values (1, 16, '2009-01-14', null), (2, 1, '2008-01-31', '2010-05-30');
insert into production.productcategory (productcategoryid, name, rowguid) values (1, 'Bikes', 'cfbda25c-df71-47a7-b81b-64ee161aa37c'), (2, 'Components', 'c657828d-d808-4aba-91a3-af2ce02300e9');
insert into production.productsubcategory (productsubcategoryid, productcategoryid, name) values (1, 1, 'Mountain Bikes'), (2, 2, 'Handlebars');
insert into production.product (productid, name, productnumber, makeflag, color, standardcost, listprice, weight, productsubcategoryid, sellstartdate) values
  (1, 'Adjustable Race', 'AR-5381', {false}, null, 0, 0, null, null, '2008-04-30 00:00:00'),
  (771, 'Mountain-100 Silver, 38', 'BK-M82S-38', {true}, 'Silver', 1912.1544, 3399.9900, 20.35, 1, '2011-05-31 00:00:00');
insert into production.productphoto (productphotoid, thumbnailphoto, thumbnailphotofilename) values (1, {bytes:47494638396101000100}, 'no_image_available_small.gif'), (2, null, null);
insert into sales.customer (customerid, personid) values (1, 1), (2, null);
insert into sales.salesorderheader (salesorderid, revisionnumber, orderdate, status, customerid, subtotal) values (43659, 8, '2011-05-31 00:00:00', 5, 1, 20565.6206);
insert into sales.salesorderdetail (salesorderid, salesorderdetailid, orderqty, productid, unitprice) values (43659, 1, 1, 771, 2024.9940), (43659, 2, 3, 1, 5.7000);
create view humanresources.vemployee as
  select e.businessentityid, p.title, p.firstname, p.lastname, e.jobtitle from humanresources.employee e join person.person p on p.businessentityid = e.businessentityid;
create view humanresources.vemployeedepartment as
  select e.businessentityid, p.lastname, d.name as department, h.startdate
  from humanresources.employee e join person.person p on p.businessentityid = e.businessentityid
    join humanresources.employeedepartmenthistory h on e.businessentityid = h.businessentityid
    join humanresources.department d on h.departmentid = d.departmentid where h.enddate is null;
--postgresql create materialized view production.vproductsold as select productid, sum(orderqty) as sold from sales.salesorderdetail group by productid;
--postgresql create unique index ix_vproductsold on production.vproductsold (productid);
--postgresql comment on table person.person is 'Human beings involved with AdventureWorks: employees, customer contacts, and vendor contacts.';
--postgresql comment on column humanresources.employee.vacationhours is 'Number of available vacation hours.';
