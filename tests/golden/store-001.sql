BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'arena','m001_tables','2026-01-01 00:00:00.000000+00:00');
CREATE TABLE bots (
    id integer primary key,
    name text not null, -- bot_id:options
    bot_id text not null,
    version text not null,
    options text not null,
    source_hash text not null,
    isolation text not null default 'in-process',
    path text not null default '', -- of a bot given as a file: where it was last
    created text not null,
    unique (bot_id, version, options, source_hash, isolation)
);
INSERT INTO "bots" VALUES(1,'ant','ant','1.0','','5ca1ab1e','in-process','','2026-01-01T00:00:00+00:00');
INSERT INTO "bots" VALUES(2,'bee','bee','1.0','','5ca1ab1e','in-process','','2026-01-01T00:00:00+00:00');
INSERT INTO "bots" VALUES(3,'cat','cat','1.0','','5ca1ab1e','in-process','','2026-01-01T00:00:00+00:00');
INSERT INTO "bots" VALUES(4,'dog:bark=2','dog','1.0','bark=2','5ca1ab1e','in-process','','2026-01-01T00:00:00+00:00');
CREATE TABLE editions (
    fingerprint text primary key not null,
    edition_id text not null,
    rules text not null -- JSON: the edition with its map
);
INSERT INTO "editions" VALUES('12c645bd91dd16d6ed92','hasbro-us-2003','{}');
CREATE TABLE faults (
    id integer primary key,
    game text not null references games (key),
    seat integer not null,
    bot integer not null references bots (id),
    kind text not null,
    round integer not null,
    decision integer not null,
    forfeit integer not null check (forfeit in (0, 1)),
    detail text not null
);
CREATE TABLE games (
    key text primary key not null,
    tournament integer not null references tournaments (id),
    edition text not null references editions (fingerprint),
    players integer not null,
    block integer not null,
    rotation integer not null,
    seed integer not null,
    starter integer not null,
    status text not null check (status in ('finished', 'unfinished')),
    winner_seat integer check ((winner_seat is null) = (status = 'unfinished')),
    rounds integer not null,
    rolls integer not null,
    decisions integer not null,
    digest text not null,
    seconds real not null,
    worker text not null,
    record blob
);
INSERT INTO "games" VALUES('fb2f1af77762664d3a0d',1,'12c645bd91dd16d6ed92',3,0,0,4733216576002392657,0,'finished',0,12,223,647,'c075df4e4a5b9419cf8a',1.96654005479009263979e+00,'host-1',X'4D95A983FD7A4B7094D3130D0D18B04AFADA51B1E61129046447F5BA599EA0A9A5B089CF4F950AAE');
INSERT INTO "games" VALUES('30b70b0e561a609af3f1',1,'12c645bd91dd16d6ed92',3,0,1,4733216576002392657,2,'finished',1,19,81,304,'3d5f1ab6d7ae4fc19ad6',1.30308356873492869887e+00,'host-1',X'AB418501D3DE0DAD3A35AC505E58D3FD968E9348D30BB92CCFFDEC199DBC4A400FCD8B181388E951');
INSERT INTO "games" VALUES('633d45cf5dc791e1c17e',1,'12c645bd91dd16d6ed92',3,0,2,4733216576002392657,2,'finished',2,13,50,285,'1c6876c0a86eeed724ef',1.92722301898145520482e+00,'host-1',X'D7CC5D9AC932164D967F793011C9E5FA741686E3F115A84962B726786D427248CB1C31273C99B806');
CREATE TABLE seats (
    game text not null references games (key),
    seat integer not null,
    turn integer not null,
    bot integer not null references bots (id),
    finish integer,
    eliminated_round integer,
    territories integer not null,
    troops integer not null,
    strikes integer not null,
    forfeit integer not null check (forfeit in (0, 1)),
    seconds real not null,
    primary key (game, seat)
) without rowid;
INSERT INTO "seats" VALUES('30b70b0e561a609af3f1',0,1,2,2,5,1,8,0,0,4.6977397192545655713e-01);
INSERT INTO "seats" VALUES('30b70b0e561a609af3f1',1,2,4,1,NULL,3,52,0,0,6.93536000472976588149e-01);
INSERT INTO "seats" VALUES('30b70b0e561a609af3f1',2,0,3,3,7,19,96,0,0,1.39773596336495442571e-01);
INSERT INTO "seats" VALUES('633d45cf5dc791e1c17e',0,1,4,3,3,26,3,0,0,3.50913993308744398547e-01);
INSERT INTO "seats" VALUES('633d45cf5dc791e1c17e',1,2,3,2,7,16,95,0,0,6.17744993645607864962e-01);
INSERT INTO "seats" VALUES('633d45cf5dc791e1c17e',2,0,2,1,NULL,2,92,0,0,0.958564032027103);
INSERT INTO "seats" VALUES('fb2f1af77762664d3a0d',0,0,3,1,NULL,37,66,0,0,7.70394037795058772566e-01);
INSERT INTO "seats" VALUES('fb2f1af77762664d3a0d',1,1,2,3,4,4,65,0,0,8.00221479258193424399e-01);
INSERT INTO "seats" VALUES('fb2f1af77762664d3a0d',2,2,4,2,2,32,70,0,0,3.95924537736840442825e-01);
CREATE TABLE tournaments (
    id integer primary key,
    name text not null unique,
    config text not null, -- JSON: the whole tournament, as it was last run
    covered text not null, -- JSON: what the fingerprint is a hash of
    fingerprint text not null unique,
    created text not null
);
INSERT INTO "tournaments" VALUES(1,'cup','{"name":"cup","edition":["hasbro-us-2003"],"players":3,"bots":["ant","bee","cat","dog:bark=2"],"format":"balanced","challengers":[],"blocks":4,"seed":1,"records":"all","copies":false,"limits":{"decision_seconds":5.0}}','{"format": "balanced", "players": [3], "seed": 1, "challengers": [], "editions": {"hasbro-us-2003": "12c645bd91dd16d6ed92"}, "bots": [["ant", "1.0", "", "5ca1ab1e"], ["bee", "1.0", "", "5ca1ab1e"], ["cat", "1.0", "", "5ca1ab1e"], ["dog", "1.0", "bark=2", "5ca1ab1e"]]}','8cb82fcf5bcb3cc47bbd','2026-01-01T00:00:00+00:00');
CREATE TABLE voids (
    game text primary key not null, -- no row of games until it was played again with success
    tournament integer not null references tournaments (id),
    edition text not null references editions (fingerprint),
    players integer not null,
    reason text not null, -- of the last time
    count integer not null
);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX games_pool on games
    (edition, players, tournament, key, starter, winner_seat, status, seed, rounds);
CREATE INDEX faults_game on faults (game);
COMMIT;
