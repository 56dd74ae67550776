//! The CORBA servers: a warehouse, and a catalogue that calls it. Each has an ORB of its own.

use std::collections::BTreeMap;
use std::error::Error;
use std::thread;
use std::time::Duration;

use taut::{Orb, OrbBuilder, Reference};
use taut_otel::Telemetry;

use crate::shop::catalogue::DescribeError;
use crate::shop::warehouse::StockError;
use crate::shop::{
    Catalogue, CatalogueRef, CatalogueSkeleton, Offer, UnknownArticle, Warehouse, WarehouseRef,
    WarehouseSkeleton,
};

/// Both servers, which end when this is dropped.
#[derive(Debug)]
pub struct Shop {
    /// The catalogue, as its own server has it: its IOR is for others.
    pub catalogue: CatalogueRef,
    orbs: [Orb; 2],
}

/// The articles of the demonstration.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shelves;

impl Warehouse for Shelves {
    fn stock(&self, article: &str) -> Result<u32, StockError> {
        match article {
            "tea" => Ok(12),
            "coffee" => Ok(0),
            "caviar" => {
                // Somebody has to go to the cellar.
                thread::sleep(Duration::from_millis(500));
                Ok(1)
            }
            _ => Err(unknown(article).into()),
        }
    }
}

/// Prices, and the warehouse that knows the rest.
struct Prices {
    prices: BTreeMap<&'static str, f64>,
    warehouse: WarehouseRef,
}

impl Catalogue for Prices {
    fn describe(&self, article: &str) -> Result<Offer, DescribeError> {
        let Some(&price) = self.prices.get(article) else {
            return Err(unknown(article).into());
        };
        let stock = self.warehouse.stock(article).map_err(|error| match error {
            StockError::UnknownArticle(unknown) => DescribeError::UnknownArticle(unknown),
            StockError::System(exception) => DescribeError::System(exception),
        })?;
        let article = article.to_owned();
        Ok(Offer {
            article,
            stock,
            price,
        })
    }
}

fn unknown(article: &str) -> UnknownArticle {
    let article = article.to_owned();
    UnknownArticle { article }
}

impl Shop {
    /// Starts both servers, with this warehouse. Their spans go to `telemetry`.
    ///
    /// # Errors
    ///
    /// When an ORB cannot be made, or cannot listen.
    pub fn start(
        warehouse: impl Warehouse + 'static,
        telemetry: &Telemetry,
    ) -> Result<Self, Box<dyn Error>> {
        let builder = || -> Result<OrbBuilder, Box<dyn Error>> {
            let builder = Orb::builder().listen("iiop://127.0.0.1:0")?;
            Ok(builder.initializer(telemetry.clone()))
        };
        let below = builder()?.build()?;
        let poa = below.root_poa()?;
        let warehouse = poa.activate(WarehouseSkeleton::new(warehouse))?;
        poa.manager().activate()?;

        let above = builder()?.build()?;
        let poa = above.root_poa()?;
        let warehouse = above.string_to_object(&warehouse.as_object().to_string())?;
        let prices = Prices {
            prices: [("tea", 3.5), ("coffee", 4.25), ("caviar", 99.0)].into(),
            warehouse: warehouse.narrow()?,
        };
        let catalogue = poa.activate(CatalogueSkeleton::new(prices))?;
        poa.manager().activate()?;
        Ok(Self {
            catalogue,
            orbs: [below, above],
        })
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        for orb in &self.orbs {
            // Its server may have ended already.
            let _ = orb.shutdown(false);
        }
    }
}
