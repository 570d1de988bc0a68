create table artist (artist_id {id}, name varchar(120));
create table album (album_id {id}, title varchar(160) not null, artist_id int not null references artist (artist_id));
create table employee (
  employee_id {id}, last_name varchar(20) not null, first_name varchar(20) not null, title varchar(30),
  reports_to int references employee (employee_id), birth_date {datetime}, hire_date {datetime}, address varchar(70),
  city varchar(40), country varchar(40), email varchar(60));
create table customer (
  customer_id {id}, first_name varchar(40) not null, last_name varchar(20) not null, company varchar(80), city varchar(40),
  country varchar(40), postal_code varchar(10), email varchar(60) not null, support_rep_id int references employee (employee_id));
create table genre (genre_id {id}, name varchar(120));
create table media_type (media_type_id {id}, name varchar(120));
create table invoice (
  invoice_id {id}, customer_id int not null references customer (customer_id), invoice_date {datetime} not null,
  billing_address varchar(70), billing_city varchar(40), billing_postal_code varchar(10), total numeric(10,2) not null);
create table track (
  track_id {id}, name varchar(200) not null, album_id int references album (album_id),
  media_type_id int not null references media_type (media_type_id), genre_id int references genre (genre_id),
  composer varchar(220), milliseconds int not null, bytes int, unit_price numeric(10,2) not null);
create table invoice_line (
  invoice_line_id {id}, invoice_id int not null references invoice (invoice_id), track_id int not null references track (track_id),
  unit_price numeric(10,2) not null, quantity int not null);
create table playlist (playlist_id {id}, name varchar(120));
create table playlist_track (
  playlist_id int not null references playlist (playlist_id), track_id int not null references track (track_id),
  primary key (playlist_id, track_id));
insert into artist (artist_id, name) values (1, 'AC/DC'), (2, 'Accept'), (3, 'Antônio Carlos Jobim'), (4, null);
insert into album (album_id, title, artist_id) values (1, 'For Those About To Rock We Salute You', 1), (2, 'Balls to the Wall', 2), (3, 'Warner 25 Anos', 3);
insert into employee (employee_id, last_name, first_name, title, reports_to, birth_date, hire_date, address, city, country, email) values
  (1, 'Adams', 'Andrew', 'General Manager', null, '1962-02-18 00:00:00', '2002-08-14 00:00:00', '11120 Jasper Ave NW', 'Edmonton', 'Canada', 'andrew@chinookcorp.com'),
  (2, 'Edwards', 'Nancy', 'Sales Manager', 1, '1958-12-08 00:00:00', '2002-05-01 00:00:00', '825 8 Ave SW', 'Calgary', 'Canada', 'nancy@chinookcorp.com');
insert into customer (customer_id, first_name, last_name, company, city, country, postal_code, email, support_rep_id) values
  (1, 'Luís', 'Gonçalves', 'Embraer - Empresa Brasileira de Aeronáutica S.A.', 'São José dos Campos', 'Brazil', '12227-000', 'luisg@embraer.com.br', 2),
  (2, 'Leonie', 'Köhler', null, 'Stuttgart', 'Germany', '70174', 'leonekohler@surfeu.de', null);
insert into genre (genre_id, name) values (1, 'Rock'), (2, 'Jazz');
insert into media_type (media_type_id, name) values (1, 'MPEG audio file');
insert into invoice (invoice_id, customer_id, invoice_date, billing_address, billing_city, billing_postal_code, total) values
  (1, 2, '2021-01-01 00:00:00', 'Theodor-Heuss-Straße 34', 'Stuttgart', '70174', 1.98), (2, 1, '2021-01-02 00:00:00', null, null, null, 0);
insert into track (track_id, name, album_id, media_type_id, genre_id, composer, milliseconds, bytes, unit_price) values
  (1, 'For Those About To Rock (We Salute You)', 1, 1, 1, 'Angus Young, Malcolm Young, Brian Johnson', 343719, 11170334, 0.99),
  (2, 'Balls to the Wall', 2, 1, 1, null, 342562, null, 0.99), (3, 'Desafinado', 3, 1, 2, null, 185338, 5990473, 0.99);
insert into invoice_line (invoice_line_id, invoice_id, track_id, unit_price, quantity) values (1, 1, 2, 0.99, 1), (2, 1, 3, 0.99, 1);
insert into playlist (playlist_id, name) values (1, 'Music'), (2, 'Movies');
insert into playlist_track (playlist_id, track_id) values (1, 1), (1, 2), (1, 3);
