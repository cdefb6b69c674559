//! First names, last names and the parts of city names, by culture: short lists of common words, composed by [`super`].

/// Index of a culture in [`CULTURES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Culture {
    Anglo,
    Hispanic,
    Lusophone,
    French,
    Germanic,
    Nordic,
    Slavic,
    Mediterranean,
    Arabic,
    PersianTurkic,
    Indian,
    Chinese,
    EastAsian,
    SoutheastAsian,
    EastAfrican,
    WestAfrican,
}

/// The words of one culture; each list is separated by spaces.
pub(super) struct CultureWords {
    /// Given names of men.
    pub(super) male: &'static str,
    /// Given names of women.
    pub(super) female: &'static str,
    /// Family names.
    pub(super) last: &'static str,
    /// First halves of city names.
    pub(super) city_heads: &'static str,
    /// Second halves of city names; a `_` keeps words apart.
    pub(super) city_tails: &'static str,
}

/// In the order of [`Culture`].
pub(super) const CULTURES: [CultureWords; 16] = [
    CultureWords {
        male: "James John Robert Michael William David Richard Thomas Charles Paul Mark George Peter Andrew Jack Ryan Alan Ben Luke Sam",
        female: "Mary Linda Susan Karen Helen Sarah Emily Laura Alice Grace Rachel Jane Julia Amy Ruth Kate Emma Lucy Olivia Rose",
        last: "Smith Jones Taylor Brown Wilson Evans Thomas Johnson Roberts Walker Wright Green Hall Wood Clarke Harris \
            Lewis Cooper King Baker Turner Hill Moore Scott Young Allen Murray Kelly Byrne Fraser",
        city_heads: "Ash Brook Clear Green Hart King Lake Maple New North Oak River Spring West",
        city_tails: "bury field ford ham mouth port side ton view wood",
    },
    CultureWords {
        male: "Jose Juan Carlos Luis Miguel Pedro Jorge Diego Pablo Javier Rafael Andrés Manuel Antonio Sergio Hugo \
            Raul Mario Felipe Ramón",
        female: "Maria Ana Carmen Lucia Sofia Elena Rosa Isabel Marta Paula Laura Clara Teresa Pilar Julia Alba Eva Inés Gabriela Camila",
        last: "Garcia Martinez Lopez Gonzalez Perez Rodriguez Sanchez Ramirez Torres Flores Rivera Gomez Diaz Cruz \
            Morales Ortiz Gutierrez Chavez Ramos Ruiz Alvarez Mendoza Castillo Vargas Romero Núñez Herrera Medina \
            Aguilar Vega",
        city_heads: "San_ Santa_ Villa Puerto_ Monte Valle Rio Alta Bella Costa Campo Fuente Torre Casa",
        city_tails: "clara luz mar nueva real rosa sol verde blanca flores",
    },
    CultureWords {
        male: "João Pedro Paulo Carlos Rui Tiago Bruno Lucas Mateus Rafael Nuno Miguel Hugo André Fábio Caio Vitor Jorge Luiz Davi",
        female: "Ana Maria Beatriz Joana Ines Sofia Carla Paula Rita Marta Luisa Helena Camila Juliana Larissa Bruna Vera \
            Clara Lara Teresa",
        last: "Silva Santos Oliveira Souza Pereira Costa Ferreira Rodrigues Almeida Nascimento Lima Araujo Ribeiro \
            Carvalho Gomes Martins Rocha Alves Lopes Mendes Barbosa Cardoso Teixeira Moreira Pinto Correia Cunha \
            Neves Dias Campos",
        city_heads: "Porto_ Vila_ Campo Nova_ Belo_ Monte_ Serra Ponte Rio_ Santo_ Lagoa Vale Praia_ Casa",
        city_tails: "grande velho alegre claro norte branco doce longo fundo seco",
    },
    CultureWords {
        male: "Jean Pierre Michel Alain Louis Jacques Luc Marc Paul Henri Antoine Hugo Nicolas Julien Thomas Étienne \
            Olivier Rémi Simon Yves",
        female: "Marie Anne Claire Sophie Camille Julie Chloé Emma Louise Alice Jeanne Sylvie Nathalie Isabelle Élise \
            Manon Lucie Margot Celine Helene",
        last: "Martin Bernard Dubois Thomas Robert Petit Durand Leroy Moreau Simon Laurent Lefebvre Michel Garnier Roux \
            Fournier Girard Bonnet Dupont Lambert Fontaine Rousseau Vincent Muller Faure Mercier Blanc Guerin Boyer \
            Chevalier",
        city_heads: "Beau Bel Clair Fort Grand Haut Mont Neuf Pont Roche Saint_ Val Ville Vert",
        city_tails: "bois champ court fleur lac mer port sur_Mer vallon ville",
    },
    CultureWords {
        male: "Hans Peter Klaus Jürgen Wolfgang Thomas Stefan Andreas Markus Jan Pieter Willem Lukas Felix Paul Max Karl Otto Bram Daan",
        female: "Anna Maria Ursula Monika Petra Sabine Julia Katrin Lena Sophie Emma Lisa Eva Ingrid Hanna Klara Greta Fleur Sanne Anke",
        last: "Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer Richter Klein Wolf \
            Schröder Neumann Schwarz Braun Zimmermann Krüger Hartmann Lange Werner Krause Lehmann Jansen Bakker \
            Visser Smit",
        city_heads: "Alt Berg Birken Feld Gold Hoch Klein Linden Neu Ober Rosen Stein Wald Wester",
        city_tails: "ach au bach burg dorf furt hausen heim stadt tal",
    },
    CultureWords {
        male: "Lars Erik Anders Per Nils Olav Bjorn Johan Karl Mikael Henrik Jens Søren Mats Oskar Gustav Leif Arne Aksel Ville",
        female: "Anna Eva Karin Kristina Ingrid Astrid Sofia Maja Ida Freja Linnea Elsa Sigrid Hanna Liv Nora Aino Helmi Tuva Åsa",
        last: "Hansen Johansen Olsen Larsen Andersen Nielsen Jensen Pedersen Johansson Karlsson Nilsson Eriksson \
            Persson Svensson Gustafsson Lindberg Lund Berg Dahl Holm Virtanen Korhonen Nieminen Berglund Nyman Bakke \
            Haugen Moen Strand Sund",
        city_heads: "Bjork Fjell Gran Hav Kron Lille Nord Skog Sol Stor Sund Sand Vest Oster",
        city_tails: "borg by dal fors hamn havn holm stad vik voll",
    },
    CultureWords {
        male: "Ivan Sergei Dmitri Alexei Mikhail Nikolai Pavel Andrei Oleg Viktor Jan Piotr Tomasz Marek Jiri Petr Milan Boris Yuri Igor",
        female: "Anna Olga Elena Natalia Irina Tatiana Maria Svetlana Katarzyna Agnieszka Ewa Jana Petra Vera Zofia \
            Ludmila Milena Daria Nina Oksana",
        last: "Ivanov Petrov Sidorov Smirnov Kuznetsov Popov Volkov Sokolov Novak Dvorak Kovac Horvat Kowalski Nowak \
            Zielinski Wojcik Kaminski Lewandowski Shevchenko Bondarenko Melnyk Kravets Morozov Pavlov Orlov Fedorov \
            Jovanovic Markovic Babic Kral",
        city_heads: "Belo Bystro Cherno Dolgo Krasno Nizhne Novo Pod Staro Svetlo Vele Verkhne Vysoko Zeleno",
        city_tails: "brod dar dol gorsk grad lesk most ozersk pol rechensk",
    },
    CultureWords {
        male: "Marco Luca Giovanni Paolo Andrea Stefano Giorgio Nikos Dimitris Yannis Kostas Ion Mihai Andrei Radu \
            Franco Enzo Matteo Davide Vasilis",
        female: "Giulia Chiara Francesca Sara Elena Sofia Anna Maria Eleni Katerina Ioanna Despina Ioana Andreea Cristina \
            Paola Silvia Marta Irina Bianca",
        last: "Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti Costa Giordano \
            Papadopoulos Georgiou Nikolaidis Pappas Dimitriou Popescu Ionescu Popa Radu Dumitru Stan Stoica Gheorghe \
            Rizzo Lombardi",
        city_heads: "Acqua Bel Borgo Campo Castel Colle Fonte Mar Monte Pietra Ponte San_ Torre Vale",
        city_tails: "alto bianco chiaro forte lago lungo nero nova rosso verde",
    },
    CultureWords {
        male: "Mohammed Ahmed Ali Omar Hassan Hussein Khalid Yusuf Ibrahim Karim Tariq Samir Nabil Faisal Hamza Bilal \
            Jamal Rashid Walid Ziad",
        female: "Fatima Aisha Maryam Layla Nour Zainab Huda Salma Amina Rania Yasmin Sara Dina Hala Mona Lina Samira Nadia Reem Farah",
        last: "Haddad Khoury Mansour Saleh Nasser Hamdan Farouk Aziz Rahman Sabbagh Najjar Hariri Bakri Darwish Qasim \
            Zaki Hakim Amin Fahmy Shami Masri Tamimi Rashidi Bennani Alaoui Cherif Mahfouz Othman Suleiman Younis",
        city_heads: "Ain_ Al_ Bab_ Beit_ Dar_ Jabal_ Kafr_ Medinat_ Qasr_ Ras_ Tel_ Wadi_ Burj_ Bir_",
        city_tails: "Amal Bahr Fadl Hasan Karim Nahr Nour Rahma Salam Zahra",
    },
    CultureWords {
        male: "Reza Mehdi Hossein Farhad Kamran Babak Mehmet Mustafa Emre Murat Burak Kemal Rustam Timur Aziz Nurlan \
            Arman Elchin Orkhan Daniyar",
        female: "Zahra Leila Shirin Parisa Nasrin Mina Ayse Elif Zeynep Emine Fatma Derya Gulnara Aigul Dilnoza Nargiza \
            Sevda Aytan Laleh Maral",
        last: "Hosseini Ahmadi Karimi Rezaei Mohammadi Moradi Yilmaz Kaya Demir Celik Sahin Aydin Ozturk Arslan Karimov \
            Rahimov Aliyev Mammadov Nazarov Usmanov Akhmetov Bekov Sadykov Noori Azizi Hashemi Shirazi Tabrizi Dogan \
            Koc",
        city_heads: "Ak Bagh Gol Kara Kuh Mir Nur Sar Shah Tash Yeni Zar Dash Khush",
        city_tails: "abad dar kand koy kul pazar shahr su tepe yurt",
    },
    CultureWords {
        male: "Raj Amit Rahul Sanjay Vijay Arjun Ravi Anil Suresh Deepak Imran Asif Bilal Kumar Nikhil Rohan Ashok Prakash Tanvir Kamal",
        female: "Priya Anita Sunita Kavita Neha Pooja Lakshmi Meera Asha Divya Ayesha Sana Nadia Shreya Rani Geeta Rekha Jyoti Farida Nila",
        last: "Sharma Verma Gupta Singh Kumar Patel Shah Mehta Reddy Nair Iyer Rao Das Sen Ghosh Banerjee Chowdhury \
            Khan Ahmed Malik Hussain Perera Silva Fernando Thapa Shrestha Joshi Kapoor Bose Mishra",
        city_heads: "Amar Chandra Deva Hari Jal Kali Lal Madhu Nil Ram Shanti Sundar Uttar Vijay",
        city_tails: "bad ganj garh giri kot nagar palli pur tala vaka",
    },
    CultureWords {
        male: "Wei Jun Ming Lei Tao Jian Hao Bo Peng Chao Yang Feng Gang Qiang Bin Kai Lin Zhen Dong Hui",
        female: "Fang Li Na Xiu Mei Yan Jing Ying Hong Xia Lan Juan Qing Yu Ping Min Rui Xue Lian Hua",
        last: "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo He Lin Luo Gao Zheng Liang Xie Song \
            Tang Deng Han Feng Cao Peng",
        city_heads: "An Bei Chang Dong Fu Gui Huang Jin Ling Nan Ping Qing Tai Xi",
        city_tails: "an chang dao hai jiang ning shan yang zhou zhuang",
    },
    CultureWords {
        male: "Hiroshi Takashi Kenji Akira Daisuke Kazuo Makoto Satoshi Yuki Haruto Minjun Jihoon Sungho Donghyun \
            Jaewon Taeyang Seojun Kenta Shin Ren",
        female: "Yuko Keiko Akiko Naoko Haruka Sakura Yumi Aoi Hana Rin Jiwoo Minji Seoyeon Hyejin Eunji Soyoung Yuna Mika Emi Nari",
        last: "Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato Yoshida Yamada Sasaki \
            Matsumoto Inoue Kimura Kim Lee Park Choi Jung Kang Cho Yoon Jang Lim Han Shin Oh Seo",
        city_heads: "Aka Ao Fuku Haru Hoshi Kawa Kita Minami Naga Oka Shira Taka Toyo Yama",
        city_tails: "gawa hama ji mori mura no ri saki shima wa",
    },
    CultureWords {
        male: "Nguyen Minh Tuan Duc Budi Agus Joko Andi Rizal Ahmad Somchai Niran Anan Jomar Rico Paolo Sokha Aung Kyaw Hung",
        female: "Linh Mai Hoa Thu Siti Dewi Putri Sri Ratna Nur Malee Siriporn Kanya Angelica Joy Liza Sophea Thida Nwe Lan",
        last: "Tran Le Pham Hoang Phan Vu Dang Bui Santoso Wijaya Saputra Hidayat Setiawan Kusuma Chaiyasit Srisai \
            Wongsa Suwan Reyes Santos Bautista Ocampo Villanueva Sok Chea Win Htun Ismail Abdullah Tan",
        city_heads: "Ban_ Bukit_ Hai_ Kampung_ Kota_ Muang_ Nakhon_ Phu_ Pulau_ San_ Sungai_ Tan_ Tanjung_ Vinh_",
        city_tails: "Baru Indah Jaya Lama Loc Mai Nam Raya Sari Thani",
    },
    CultureWords {
        male: "Juma Hamisi Baraka Daudi Kamau Otieno Kiprono Abebe Tesfaye Dawit Sipho Thabo Themba Mandla Tendai Farai \
            Mugisha Okello Chanda Kondwani",
        female: "Amina Neema Rehema Zawadi Wanjiru Akinyi Chebet Almaz Tigist Hirut Nomsa Thandi Zanele Lerato Rudo \
            Tsitsi Namukasa Achieng Mutinta Chisomo",
        last: "Mwangi Kamau Ochieng Odhiambo Kariuki Wafula Mushi Mrema Massawe Kimaro Bekele Tadesse Haile Girma \
            Dlamini Nkosi Zulu Khumalo Mokoena Ndlovu Moyo Ncube Sibanda Banda Phiri Mwale Mulenga Habimana Mugabe \
            Musoke",
        city_heads: "Aru Bora Gari Iri Kili Kito Lusa Mara Mbeya Mori Njoro Nyeri Tabo Zomba",
        city_tails: "_Hill _Mjini _Springs _Town fontein koni na ni ru wezi",
    },
    CultureWords {
        male: "Kwame Kofi Kojo Yaw Chinedu Emeka Tunde Segun Musa Ibrahim Sani Moussa Amadou Mamadou Ousmane Abdoulaye \
            Koffi Seydou Ali Femi",
        female: "Ama Akua Abena Efua Ngozi Chioma Adaeze Folake Yetunde Amina Hauwa Zainab Fatou Aissatou Mariam Awa Kadi Adjoa Bintou Ife",
        last: "Mensah Owusu Boateng Asante Osei Appiah Okafor Okeke Eze Nwosu Adeyemi Ogunleye Balogun Bello Abubakar \
            Diallo Traore Keita Coulibaly Diop Ndiaye Fall Sow Ba Cisse Kone Toure Ouattara Kouassi Sawadogo",
        city_heads: "Aba Bam Dago Fada Gao Iba Kano Koum Lago Oke Sega Tama Wari Yako",
        city_tails: "_Gare _Nord bougou dougou go kro la ri si te",
    },
];
