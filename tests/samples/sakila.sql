--postgresql create type mpaa_rating as enum ('G', 'PG', 'PG-13', 'R', 'NC-17');
--postgresql create domain "year" as integer constraint year_check check (value >= 1901 and value <= 2155);
create table actor (actor_id {id}, first_name varchar(45) not null, last_name varchar(45) not null, last_update {datetime} default {now} not null);
create table category (category_id {id}, name varchar(25) not null, last_update {datetime} default {now} not null);
create table country (country_id {id}, country varchar(50) not null, last_update {datetime} default {now} not null);
create table city (city_id {id}, city varchar(50) not null, country_id int not null references country (country_id));
create table address (
  address_id {id}, address varchar(50) not null, address2 varchar(50), district varchar(20) not null,
  city_id int not null references city (city_id), postal_code varchar(10), phone varchar(20) not null);
create table language (language_id {id}, name char(20) not null);
create table film (
  film_id {id}, title varchar(255) not null, description {text}, release_year {year},
  language_id int not null references language (language_id), original_language_id int references language (language_id),
  rental_duration smallint default 3 not null, rental_rate numeric(4,2) default 4.99 not null, length smallint,
  replacement_cost numeric(5,2) default 19.99 not null, rating {rating} default 'G', special_features {features},
  last_update {datetime} default {now} not null{fulltext});
create index idx_title on film (title);
create table film_actor (
  actor_id int not null references actor (actor_id), film_id int not null references film (film_id),
  last_update {datetime} default {now} not null, primary key (actor_id, film_id));
create table film_category (
  film_id int not null references film (film_id), category_id int not null references category (category_id), primary key (film_id, category_id));
create table staff (
  staff_id {id}, first_name varchar(45) not null, last_name varchar(45) not null, address_id int not null references address (address_id),
  email varchar(50), active {boolean} default {true} not null, username varchar(16) not null, password varchar(40), picture {blob});
create table store (store_id {id}, manager_staff_id int not null unique references staff (staff_id), address_id int not null references address (address_id));
create table customer (
  customer_id {id}, store_id int not null references store (store_id), first_name varchar(45) not null, last_name varchar(45) not null,
  email varchar(50), address_id int not null references address (address_id), activebool {boolean} default {true} not null,
  create_date date not null, active int);
create table inventory (inventory_id {id}, film_id int not null references film (film_id), store_id int not null references store (store_id));
create table rental (
  rental_id {id}, rental_date {datetime} not null, inventory_id int not null references inventory (inventory_id),
  customer_id int not null references customer (customer_id), return_date {datetime}, staff_id int not null references staff (staff_id),
  unique (rental_date, inventory_id, customer_id));
create table payment (
  payment_id {id}, customer_id int not null references customer (customer_id), staff_id int not null references staff (staff_id),
  rental_id int references rental (rental_id), amount numeric(5,2) not null, payment_date {datetime} not null);
insert into actor (actor_id, first_name, last_name, last_update) values (1, 'PENELOPE', 'GUINESS', '2006-02-15 04:34:33'), (2, 'NICK', 'WAHLBERG', '2006-02-15 04:34:33');
insert into category (category_id, name, last_update) values (1, 'Action', '2006-02-15 04:46:27'), (2, 'Documentary', '2006-02-15 04:46:27');
insert into country (country_id, country, last_update) values (1, 'Canada', '2006-02-15 04:44:00'), (2, 'Australia', '2006-02-15 04:44:00');
insert into city (city_id, city, country_id) values (1, 'Lethbridge', 1), (2, 'Woodridge', 2);
insert into address (address_id, address, address2, district, city_id, postal_code, phone) values
  (1, '47 MySakila Drive', null, 'Alberta', 1, '', ''), (2, '28 MySQL Boulevard', '', 'QLD', 2, null, '14033335568');
insert into language (language_id, name) values (1, 'English'), (2, 'Italian');
insert into film (film_id, title, description, release_year, language_id, original_language_id, rental_duration, rental_rate, length, replacement_cost, rating, special_features, last_update) values
  (1, 'ACADEMY DINOSAUR', 'A Epic Drama of a Feminist And a Mad Scientist', 2006, 1, null, 6, 0.99, 86, 20.99, 'PG', {list:Deleted Scenes,Behind the Scenes}, '2006-02-15 05:03:42'),
  (2, 'ACE GOLDFINGER', null, 2006, 1, 2, 3, 4.99, 48, 12.99, 'NC-17', {list:Trailers}, '2006-02-15 05:03:42'),
  (3, 'ADAPTATION HOLES', 'A Astounding Reflection', null, 1, null, 7, 2.99, null, 18.99, null, null, '2006-02-15 05:03:42');
insert into film_actor (actor_id, film_id, last_update) values (1, 1, '2006-02-15 05:05:03'), (2, 1, '2006-02-15 05:05:03'), (2, 3, '2006-02-15 05:05:03');
insert into film_category (film_id, category_id) values (1, 2), (2, 1), (3, 2);
insert into staff (staff_id, first_name, last_name, address_id, email, active, username, password, picture) values
  (1, 'Mike', 'Hillyer', 1, 'Mike.Hillyer@sakilastaff.com', {true}, 'Mike', '8cb2237d0679ca88db6464eac60da96345513964', {bytes:89504e470d0a1a0a0000}),
  (2, 'Jon', 'Stephens', 2, 'Jon.Stephens@sakilastaff.com', {false}, 'Jon', null, null);
insert into store (store_id, manager_staff_id, address_id) values (1, 1, 1), (2, 2, 2);
insert into customer (customer_id, store_id, first_name, last_name, email, address_id, activebool, create_date, active) values
  (1, 1, 'MARY', 'SMITH', 'MARY.SMITH@sakilacustomer.org', 1, {true}, '2006-02-14', 1), (2, 2, 'PATRICIA', 'JOHNSON', null, 2, {false}, '2006-02-14', 0);
insert into inventory (inventory_id, film_id, store_id) values (1, 1, 1), (2, 2, 2), (3, 3, 2);
insert into rental (rental_id, rental_date, inventory_id, customer_id, return_date, staff_id) values
  (1, '2005-05-24 22:53:30', 1, 1, '2005-05-26 22:04:30', 1), (2, '2005-05-24 22:54:33', 2, 2, null, 2);
insert into payment (payment_id, customer_id, staff_id, rental_id, amount, payment_date) values (1, 1, 1, 1, 2.99, '2005-05-25 11:30:37'), (2, 2, 2, null, 0.99, '2005-05-28 10:35:23');
create view customer_list as
  select cu.customer_id as id, {concat:cu.first_name,cu.last_name} as name, a.address, a.postal_code as "zip code", a.phone,
    city.city, country.country, cu.store_id as sid
  from customer cu join address a on cu.address_id = a.address_id join city on a.city_id = city.city_id
    join country on city.country_id = country.country_id;
create view film_list as
  select film.film_id as fid, film.title, film.description, category.name as category, film.rental_rate as price, film.length, film.rating
  from film left join film_category on film.film_id = film_category.film_id left join category on film_category.category_id = category.category_id;
create view staff_list as
  select s.staff_id as id, {concat:s.first_name,s.last_name} as name, a.address, s.active from staff s join address a on s.address_id = a.address_id;
create view sales_by_store as
  select c.city as store, m.first_name as manager, sum(p.amount) as total_sales
  from payment p join staff m on p.staff_id = m.staff_id join store s on s.manager_staff_id = m.staff_id
    join address a on s.address_id = a.address_id join city c on a.city_id = c.city_id group by c.city, m.first_name;
create view long_film as select film_id, title, length from film where length > 60;
--postgresql create materialized view rental_by_category as select c.name as category, count(*) as films from category c join film_category f using (category_id) group by c.name;
--postgresql create unique index rental_category on rental_by_category (category);
